// JSON lines on standard error. Callers pass single values, never whole requests, so that keys and secrets are not
// logged.

export type Level = 'debug' | 'info' | 'warn' | 'error'
export type Log = (level: Level, event: string, facts?: Readonly<Record<string, unknown>>) => void

const order: readonly Level[] = ['debug', 'info', 'warn', 'error']

/** Writes lines at or above the level that `least` returns through `write`. Errors are logged with message and stack. */
export function createLog(
  least: () => Level,
  now: () => number,
  write: (line: string) => void,
): Log {
  return (level, event, facts = {}) => {
    if (order.indexOf(level) < order.indexOf(least())) return
    const line = { time: new Date(now()).toISOString(), level, event, ...facts }
    write(JSON.stringify(line, plain) + '\n')
  }
}

export const silentLog: Log = () => {}

function plain(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Error) {
    return {
      message: value.message,
      stack: value.stack,
      ...(value.cause === undefined ? {} : { cause: value.cause }),
    }
  }
  return value
}
