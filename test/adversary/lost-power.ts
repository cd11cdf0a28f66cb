// Power loss at any instant of a busy store, for many seeds: repeats the property test of the store.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../src/base/clock.ts'
import type { Section } from './section.ts'

const file = fileURLToPath(
  new URL('../../src/content/segments/power-loss.test.ts', import.meta.url),
)

export const lostPower: Section = {
  name: 'lost power',
  share: 0.15,
  async run({ seed, budgetMs, tally, report }) {
    const end = systemClock.monotonic() + budgetMs
    for (let at = 0; systemClock.monotonic() < end; at += 1) {
      const { failed, instants } = await loseFor(seed + at, end - systemClock.monotonic())
      tally.add('power loss during writes of files', 'stored', 'right', instants)
      if (!failed) continue
      tally.add('power loss during writes of files', 'stored', 'wrong')
      report(`loss of power: CAIRN_SEED=${seed + at} node --test ${file}`)
    }
  },
}

/** `instants`: number of power losses in the run. A run that exceeds `timeoutMs` is not counted. */
function loseFor(
  seed: number,
  timeoutMs: number,
): Promise<{ readonly failed: boolean; readonly instants: number }> {
  const env = { ...process.env, CAIRN_SEED: String(seed), NODE_TEST_CONTEXT: undefined }
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--test', file],
      { env, timeout: Math.ceil(timeoutMs) },
      (error, out) => {
        if (error?.killed === true) return resolve({ failed: false, instants: 0 })
        const counts = [...out.matchAll(/power lost at (\d+) instants/g)]
        const instants = counts.reduce((sum, [, count]) => sum + Number(count), 0)
        resolve({ failed: error !== null, instants })
      },
    )
  })
}
