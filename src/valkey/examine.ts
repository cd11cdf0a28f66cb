// Checks a Valkey or Redis once: whether it replies and takes changes, its version, whether it is part of a cluster, and the offset
// of its clock from that of this machine.
// Tested by src/cli/doctor/shared-checks.test.ts
import type { Clock } from '../base/clock.ts'
import { connectValkey, defaultValkeyLimits, keyPrefix, script } from './connection.ts'

/**
 * `failure` null: it replied. `refusal`: its error for a change; null: it takes changes. `version`: `[major, minor]`. `skewMs`: clock
 * of this machine minus that of the server.
 */
export type ExaminedValkey = {
  /** Host of the URL, without user and password. */
  readonly host: string
  readonly failure: string | null
  readonly refusal: string | null
  readonly isCluster: boolean
  readonly version: readonly [number, number] | null
  readonly skewMs: number | null
}

const answersMs = 5_000

/** A change as limits make it: by a script, to a key that expires. */
const changeScript = script(`return redis.call('SET', KEYS[1], ARGV[1], 'PX', 1000)`)
const changedKey = `${keyPrefix}examined`

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
    const isCluster = /^(?:redis_mode|server_mode):cluster/m.test(told)
    const refusal = await connection.run(changeScript, [changedKey], [1]).then(
      () => null,
      ({ cause }: Error) => (cause instanceof Error ? cause.message : 'unknown error'),
    )
    return { host, failure: null, refusal, isCluster, version, skewMs }
  } catch (error) {
    const { cause } = error as Error
    const isRefused = cause instanceof Error && /^(NOAUTH|WRONGPASS|NOPERM)/.test(cause.message)
    return {
      host,
      failure: isRefused ? cause.message : failure,
      refusal: null,
      isCluster: false,
      version: null,
      skewMs: null,
    }
  } finally {
    await connection.close()
  }
}
