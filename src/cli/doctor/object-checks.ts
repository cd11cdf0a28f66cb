// What is wrong with the bucket of file blocks: it cannot be used, belongs to another server, or has another time.
// Tested by src/cli/doctor/object-checks.test.ts
import { describeDataSet } from '../../content/objects/data-set.ts'
import { problem, warning, type Problem } from '../../server/network-checks/problem.ts'
import type { QueriedObjects } from '../query-objects.ts'

/** The time of the service has a resolution of 1 s. */
const skewMsMax = 2000

export function* checkObjects(found: QueriedObjects | null): Generator<Problem> {
  if (found === null) return
  const { url, failure, skewMs, owner } = found
  if (failure !== null) {
    // The client's sentences end with the fix, where it is known.
    const [, said = failure, fix = 'check objects.url and objects.endpoint'] =
      /^(.*\)): (.*)$/.exec(failure) ?? []
    yield problem('objects_unreachable', `files cannot be stored in ${url}: ${said}`, fix)
  }
  if (owner !== null) {
    const { said, fix } = describeDataSet(owner, url)
    yield problem('objects_of_another', said, fix)
  }
  if (skewMs !== null && Math.abs(skewMs) > skewMsMax) {
    const seconds = Math.round(Math.abs(skewMs) / 1000)
    const where = skewMs > 0 ? 'ahead of' : 'behind'
    yield warning(
      'objects_clock',
      `the clock of this machine is ${seconds} s ${where} that of the object store, which refuses requests from 15 min on`,
      'timedatectl set-ntp true',
    )
  }
}
