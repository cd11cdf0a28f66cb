// Problems of the Valkey that nodes share: it does not respond, refuses changes, is too old, is part of a cluster, or its clock differs.
// Tested by src/cli/doctor/shared-checks.test.ts
import { problem, type Problem, warning } from '../../server/network-checks/problem.ts'
import type { ExaminedValkey } from '../../valkey/examine.ts'

/** Redis 6.2 is the first with PXAT; every Valkey is newer. */
const oldest = [6, 2] as const
const skewMsMax = 1_000

/** Fixes by the first word of the error for a change. */
const refusals: Readonly<Record<string, string>> = {
  READONLY: 'set shared.url to the primary, or to an address that follows it',
  OOM: 'raise its maxmemory, and set maxmemory-policy to volatile-lru',
  MISCONF:
    'free space on its disk, or set save and appendonly to off: nothing in it must survive a restart',
  NOPERM: 'allow its user all commands on the keys and channels cairn1:*',
  CLUSTERDOWN: 'repair the cluster, or set shared.url to a server without cluster-enabled',
}

export function* checkShared(found: ExaminedValkey | null): Generator<Problem> {
  if (found === null) return
  const { host, failure, refusal, isCluster, version, skewMs } = found
  if (failure !== null) {
    yield problem(
      'shared_unreachable',
      `nodes do not share limits: ${host} of shared.url does not answer (${failure})`,
      'start Valkey there, or correct shared.url',
    )
  }
  if (refusal !== null) {
    const [word = ''] = refusal.split(' ')
    yield problem(
      'shared_refuses',
      `nodes do not share limits: ${host} of shared.url refuses changes (${refusal.replace(/ script: .*$/s, '')})`,
      refusals[word] ?? 'see the log of that server',
    )
  }
  if (isCluster) {
    yield warning(
      'shared_cluster',
      `${host} of shared.url is part of a cluster: requests for keys of its other shards fail, and their limits are not shared`,
      'set shared.url to a server without cluster-enabled',
    )
  }
  if (version !== null && isOlder(version)) {
    yield problem(
      'shared_too_old',
      `version ${version.join('.')} at ${host} is too old to share limits`,
      'update it to Valkey, or Redis 6.2 or newer',
    )
  }
  if (skewMs !== null && Math.abs(skewMs) > skewMsMax) {
    const seconds = (Math.abs(skewMs) / 1000).toFixed(1)
    yield warning(
      'clock_apart',
      `the clock of this machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} that of ${host}: days and months begin at different times on different nodes`,
      'synchronize both clocks: timedatectl set-ntp true',
    )
  }
}

function isOlder([major, minor]: readonly [number, number]): boolean {
  return major < oldest[0] || (major === oldest[0] && minor < oldest[1])
}
