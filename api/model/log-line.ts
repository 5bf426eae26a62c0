/** Log lines of a database's containers. */
export const logSeverities = ['DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;
export type LogSeverity = (typeof logSeverities)[number];

/** `agent`: our own program beside either engine. `etcd`: the log of several replicas. `backup`: Jobs of backups. */
export const logComponents = ['engine', 'agent', 'etcd', 'backup'] as const;
export type LogComponent = (typeof logComponents)[number];

/** Number of days before today whose lines are kept. */
export const logDays = 7;
/** Maximum bytes of a database's kept lines; beyond that, the oldest are removed. */
export const logBytesMax = 50 * 1024 * 1024;

/** The severity of one of pino's numbers. */
export const logSeverityOf = (level: number): LogSeverity =>
  logSeverities.findLast((_, index) => level >= logLevels[index]!) ?? 'DEBUG';

export const logLevelOf = (severity: LogSeverity): number =>
  logLevels[logSeverities.indexOf(severity)]!;

const logLevels = [20, 30, 40, 50, 60] as const;
