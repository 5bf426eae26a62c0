/** Lines that the containers of a database log. */
export const logSeverities = ['DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;
export type LogSeverity = (typeof logSeverities)[number];

/** `agent`: our own program beside either engine. `etcd`: the log of several replicas. `backup`: Jobs of backups. */
export const logComponents = ['engine', 'agent', 'etcd', 'backup'] as const;
export type LogComponent = (typeof logComponents)[number];

/** Days that lines are kept before today. */
export const logDays = 7;
/** Bytes of lines that are kept of a database; beyond that, the oldest go. */
export const logBytesMax = 50 * 1024 * 1024;

/** The severity of a number as pino has it. */
export const logSeverityOf = (level: number): LogSeverity =>
  logSeverities.findLast((_, index) => level >= logLevels[index]!) ?? 'DEBUG';

export const logLevelOf = (severity: LogSeverity): number =>
  logLevels[logSeverities.indexOf(severity)]!;

const logLevels = [20, 30, 40, 50, 60] as const;
