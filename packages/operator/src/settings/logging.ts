/** Level and format of the log. Two families of flags set them; Stakater's take precedence. */
import { isLogLevel, type LogLevel } from '@reloader/runtime';
import { badFlag, type ParsedFlags } from './arguments.ts';
import type { LogSettings, Notice } from './settings.ts';

export function logSettings(flags: ParsedFlags, notices: Notice[]): LogSettings {
  return { level: levelOf(flags, notices), format: formatOf(flags, notices) };
}

function levelOf({ values, given }: ParsedFlags, notices: Notice[]): LogLevel {
  if (given.has('log-level')) {
    const level = stakaterLevel(values['log-level']);
    if (level) return level;
    // Stakater Reloader starts with such a value, so this operator does, too.
    notices.push({
      level: 'warn',
      message: `--log-level=${values['log-level']} is no level: use trace, debug, info, warning or error; info is used`,
    });
    return 'info';
  }
  if (values['zap-log-level'] !== '') return zapLevel(values['zap-log-level']);
  return values['zap-devel'] ? 'debug' : 'info';
}

function stakaterLevel(text: string): LogLevel | undefined {
  const lower = text.toLowerCase();
  if (lower === 'warning') return 'warn';
  if (lower === 'fatal' || lower === 'panic') return 'error';
  return isLogLevel(lower) ? lower : undefined;
}

function zapLevel(text: string): LogLevel {
  const lower = text.toLowerCase();
  if (lower === 'debug' || lower === 'info' || lower === 'error') return lower;
  if (lower === 'panic') return 'error';
  const verbosity = Number(text);
  if (!/^[0-9]+$/.test(text) || verbosity < 1)
    throw badFlag('zap-log-level', text, 'must be debug, info, error, panic or a number from 1 on');
  return verbosity === 1 ? 'debug' : 'trace';
}

function formatOf({ values, given }: ParsedFlags, notices: Notice[]): LogSettings['format'] {
  const format = values['log-format'];
  if (format === 'json') return 'json';
  if (format !== '') {
    notices.push({ level: 'warn', message: `--log-format=${format} is unknown: use json; text is used` });
  }
  if (given.has('log-format')) return 'text';
  if (values['zap-encoder'] !== '') return values['zap-encoder'] === 'json' ? 'json' : 'text';
  return given.has('zap-devel') && !values['zap-devel'] ? 'json' : 'text';
}
