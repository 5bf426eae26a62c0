/** The services that a handler uses. */
import type { Timers } from '../base/timers.ts';
import type { Environment } from './config.ts';
import type { Exchange } from './http/exchange.ts';
import type { Output } from './output/output.ts';
import type { Settings } from './settings.ts';

export interface Context {
  readonly environment: Environment;
  readonly output: Output;
  readonly timers: Timers;
  readonly version: string;
  /** Settings are resolved at the first call: `config` must work with a profile whose settings cannot be resolved. */
  readonly service: () => Promise<Service>;
}

export interface Service {
  readonly settings: Settings;
  readonly exchange: Exchange;
  /** The settings with a credential that is valid now: the access token of a person is refreshed if needed. */
  readonly freshSettings: () => Promise<Settings>;
}
