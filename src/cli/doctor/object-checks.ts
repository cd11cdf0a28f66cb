// Problems of the bucket of file blocks: it is unusable, belongs to another server, its clock is wrong, or its objects differ from
// the rows in the database.
// Tested by src/cli/doctor/object-checks.test.ts
import { describeDataSet } from '../../content/objects/data-set.ts'
import { problem, warning, type Problem } from '../../server/network-checks/problem.ts'
import type { QueriedObjects } from '../query-objects.ts'
import { comparedMax, type FoundObjects, type ObjectComparison } from './object-comparison.ts'

/** The service reports its time with a resolution of 1 s. */
const skewMsMax = 2000

export function* checkObjects(found: QueriedObjects | null): Generator<Problem> {
  if (found === null) return
  const { url, failure, skewMs, owner, comparison } = found
  if (failure !== null) {
    // The client's error messages end with the fix, if it is known.
    const [, reason = failure, fix = 'check objects.url and objects.endpoint'] =
      /^(.*\)): (.*)$/.exec(failure) ?? []
    yield problem('objects_unreachable', `files cannot be stored in ${url}: ${reason}`, fix)
  }
  if (owner !== null) {
    const { message, fix } = describeDataSet(owner, url)
    yield problem('objects_of_another', message, fix)
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
  if (comparison !== null) yield* checkComparison(comparison, url)
}

function* checkComparison(found: ObjectComparison, url: string): Generator<Problem> {
  const { withoutRow, withoutObject, otherSize, isComplete } = found
  if (withoutObject.count > 0) {
    yield problem(
      'objects_missing',
      `${listed(withoutObject)} missing from ${url}: files with blocks in them cannot be read`,
      'restore these objects from a backup or an older version of the bucket',
    )
  }
  if (otherSize.count > 0) {
    yield problem(
      'objects_other_size',
      `${listed(otherSize)} in ${url} of another size than the database states`,
      'restore these objects from a backup or an older version of the bucket',
    )
  }
  if (withoutRow.count > 0) {
    yield warning(
      'objects_without_row',
      `${listed(withoutRow)} in ${url} without a row in the database: they only use space, unless the database is an older copy`,
      'check that database.url is the newest copy, then delete these objects with a client of the object store',
    )
  }
  if (!isComplete) {
    yield warning(
      'objects_not_compared',
      `${url} or the database has more than ${comparedMax} objects: the comparison ended there`,
      'compare the rest with an inventory of the object store',
    )
  }
}

function listed({ count, examples }: FoundObjects): string {
  const rest = count > examples.length ? ', …' : ''
  return `${count} ${count === 1 ? 'object' : 'objects'} (${examples.join(', ')}${rest}) ${count === 1 ? 'is' : 'are'}`
}
