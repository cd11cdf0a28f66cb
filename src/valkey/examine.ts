// Checks a Valkey or Redis once: whether it replies, its version, and the offset of its clock from that of this machine.
// Tested by src/cli/doctor/shared-checks.test.ts
import type { Clock } from '../base/clock.ts'
import { connectValkey, defaultValkeyLimits } from './connection.ts'

/** `failure` null: it replied. `version`: `[major, minor]`. `skewMs`: clock of this machine minus that of the server. */
export type ExaminedValkey = {
  /** Host of the URL, without user and password. */
  readonly host: string
  readonly failure: string | null
  readonly version: readonly [number, number] | null
  readonly skewMs: number | null
}

const answersMs = 5_000

/** Never rejects. */
export async function examineValkey(url: string, clock: Clock): Promise<ExaminedValkey> {
  const host = url.replace(/^\w+:\/\/(.*@)?/, '').replace(/\/.*$/, '')
  let failure = `no reply within ${answersMs / 1000} s`
  const connection = connectValkey({
    url,
    clock,
    log: (_level, _event, { error } = {}) => {
      failure = String(error)
    },
    limits: { ...defaultValkeyLimits, deadlineMs: answersMs },
  })
  try {
    await connection.ready(answersMs)
    const before = clock.now()
    const [seconds, micros] = await connection.call((client) =>
      client.sendCommand<[string, string]>(['TIME']),
    )
    const skewMs = (before + clock.now()) / 2 - (Number(seconds) * 1000 + Number(micros) / 1000)
    const told = await connection.call((client) => client.info('server'))
    const [, major, minor] = /^(?:valkey|redis)_version:(\d+)\.(\d+)/m.exec(told) ?? []
    const version = [Number(major ?? 0), Number(minor ?? 0)] as const
    return { host, failure: null, version, skewMs }
  } catch (error) {
    const { cause } = error as Error
    const isRefused = cause instanceof Error && /^(NOAUTH|WRONGPASS|NOPERM)/.test(cause.message)
    return { host, failure: isRefused ? cause.message : failure, version: null, skewMs: null }
  } finally {
    await connection.close()
  }
}
