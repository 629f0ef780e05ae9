export { createLogger, type LoggerOptions, silentLogger } from './create-logger.ts';
export { createEntryLogger, isLogLevel, type LogEntry } from './entry-logger.ts';
export type { Logger, LogLevel, LogValues } from './logger.ts';
export { REDACTED, Redaction, type RedactionOptions } from './redaction.ts';
