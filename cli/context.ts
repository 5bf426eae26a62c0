/** What a handler works with. */
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
  /** Settings are resolved when they are first needed: `config` must work with a profile that does not. */
  readonly service: () => Promise<Service>;
}

export interface Service {
  readonly settings: Settings;
  readonly exchange: Exchange;
}
