// npm run test:adversary: attacks on every guarantee for at most ten minutes, with a printed seed. Prints a table of right, refused
// and wrong answers. Exits with 1 if an answer labelled as proved, or acknowledged content, was wrong.
//   --seconds <n>   duration of the run (540)
//   --seed <n>      seed of all random choices (random)
//   --only <name>   run one section
//   --write         write docs/reference/track-record.md
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { systemClock } from '../../src/base/clock.ts'
import { missingVectors } from '../fakes/chain-vectors.ts'
import { faultyDisks } from './faulty-disks.ts'
import { lostPower } from './lost-power.ts'
import { lyingUpstreams } from './faulty-upstreams.ts'
import { reorganisedHeads } from './reorganised-heads.ts'
import { starvation } from './starvation.ts'
import { createTally } from './tally.ts'
import { writeTrackRecord } from './track-record.ts'

/** Time limit of the whole run. */
const runMsMax = 600_000

const sections = [lyingUpstreams, reorganisedHeads, lostPower, faultyDisks, starvation]

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '540' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed)
const seconds = Number(values.seconds)
if (!Number.isInteger(seed) || !(seconds > 0 && seconds <= 600)) {
  throw new RangeError('--seed is a whole number, --seconds a number from 1 to 600')
}
const chosen = sections.filter(({ name }) => values.only === undefined || name === values.only)
if (chosen.length === 0) {
  const names = sections.map(({ name }) => name).join(', ')
  throw new RangeError(`--only is ${JSON.stringify(values.only)}, expected one of ${names}`)
}

console.log(`seed ${seed}`)
const tally = createTally()
const shares = chosen.reduce((sum, { share }) => sum + share, 0)
const began = systemClock.monotonic()
let isBroken = false
// The run ends in time whatever a section does, with the counts so far.
systemClock.after(runMsMax, () => end('the time limit of the run has passed'))
for (const { name, share, run } of chosen) {
  if (name === lyingUpstreams.name && missingVectors !== false) {
    console.log(`${name}: left out, ${missingVectors}`)
    continue
  }
  console.log(name)
  const report = (finding: string): void => console.log(`  ${finding}`)
  try {
    await run({ seed, budgetMs: (1000 * seconds * share) / shares, tally, report })
  } catch (error) {
    isBroken = true
    console.error(`${name} broke off:`, error)
  }
}
end(null)

/** `why`: reason to end before the last section. */
function end(why: string | null): never {
  const tookSeconds = Math.round((systemClock.monotonic() - began) / 1000)
  if (why !== null) console.log(why)
  console.log(
    `\n${tally.table()}\n\n${tally.broken()} promises broken, ${tookSeconds} s, seed ${seed}`,
  )
  if (values.write) writeTrackRecord({ table: tally.table(), seed, seconds: tookSeconds })
  process.exit(isBroken || tally.broken() > 0 ? 1 : 0)
}
