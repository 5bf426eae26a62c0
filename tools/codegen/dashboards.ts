/** Generates the chart's dashboards for Grafana. */
import { databaseDashboard } from './dashboards/database.ts';
import { dashboardJson } from './dashboards/dashboard.ts';
import { fleetDashboard } from './dashboards/fleet.ts';
import type { Generator } from './generator.ts';

export const dashboards: Generator = () =>
  Promise.resolve({
    'charts/ledgerhouse/dashboards/fleet.json': dashboardJson(fleetDashboard),
    'charts/ledgerhouse/dashboards/database.json': dashboardJson(databaseDashboard),
  });
