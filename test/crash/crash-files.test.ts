// kill -9 at random instants while files of all sizes, folders and CARs are added, removed and collected: after each restart every
// acknowledged pin exists, byte for byte, and the account's storage total is correct. The seed is printed; set CAIRN_SEED to repeat
// a run. `npm run test:crash` runs 500 rounds.
// Tests guarantee 2 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { platform } from 'node:process'
import { test } from 'node:test'
import { runProgram } from '../../src/cli/program.ts'
import { assertAcknowledged, type BlockSizesByCid } from './check.ts'
import { createLedger } from './ledger.ts'
import { runUntilKilled } from './work.ts'
import { seeded } from '../fakes/seeded.ts'
import { readFigures } from '../hostile/process-figures.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

const rounds = Number(process.env['CAIRN_CRASH_ROUNDS'] ?? 24)
/** No round starts after this time; a busy machine completes fewer rounds. */
const secondsMax = Number(process.env['CAIRN_CRASH_SECONDS'] ?? 30)
const seed = Number(process.env['CAIRN_SEED'] ?? randomInt(2 ** 31))
/** Number of folders with one server each, in parallel. */
const workers = 2
/** Rounds per folder, so that the disk does not fill. */
const roundsOfFolder = 12
/** Maximum additional processor time of a start on a used folder, compared with an empty folder. */
const restartCpuMs = 1_000

type Tally = { rounds: number; acknowledged: number; pins: number; readonly startMs: number[] }

test(`no pin and no byte of a file is lost in ${rounds} kills (seed ${seed})`, async (t) => {
  const began = performance.now()
  const isTime = () => performance.now() - began < secondsMax * 1000
  const tally: Tally = { rounds: 0, acknowledged: 0, pins: 0, startMs: [] }
  let next = 0
  const worker = async () => {
    while (next * roundsOfFolder < rounds && isTime()) {
      const number = next++
      const left = Math.min(roundsOfFolder, rounds - number * roundsOfFolder)
      await surviveInFolder(number, left, isTime, tally)
    }
  }
  // While one server waits for the disk, another uses the processor.
  await Promise.all(Array.from({ length: workers }, worker))
  const startMs = tally.startMs.toSorted((one, other) => one - other)
  const half = Math.round(startMs[startMs.length >> 1] ?? 0)
  const most = Math.round(startMs.at(-1) ?? 0)
  t.diagnostic(
    `${tally.rounds} of ${rounds} kills, ${tally.acknowledged} acknowledgements, ${tally.pins} pins read back; ` +
      `restarts took ${half} ms, at most ${most} ms`,
  )
  assert.ok(tally.rounds > 0 && tally.acknowledged > tally.rounds)
})

async function surviveInFolder(
  number: number,
  kills: number,
  isTime: () => boolean,
  tally: Tally,
): Promise<void> {
  const random = seeded(seed + number)
  const dataDir = await temporaryFolder()
  const ledger = createLedger()
  const closures: BlockSizesByCid = new Map()
  let first: { readonly cairn: Started; readonly cpuMs: number } | null = null
  let now: Started | null = null

  async function start(): Promise<Started> {
    const began = performance.now()
    const started = await startCairn({ dataDir })
    now = started
    const cpuMs = platform === 'linux' ? (await readFigures(started.child.pid)).cpuMs : 0
    if (first === null) {
      first = { cairn: started, cpuMs }
      return started
    }
    tally.startMs.push(performance.now() - began)
    const more = cpuMs - first.cpuMs
    assert.ok(more < restartCpuMs, `a restart took ${more} ms of processor more than a start`)
    const { apiKey, apiKeySecret } = first.cairn
    return { ...started, apiKey, apiKeySecret }
  }

  try {
    for (let round = 0; round < kills && isTime(); round += 1) {
      const cairn = await start()
      await assertAcknowledged(cairn, ledger, { closures, random, all: false })
      const stopAfter = random(6) === 0 ? 0 : 1 + random(40)
      await runUntilKilled(cairn, ledger, { random, own: `${seed} ${number}.${round}`, stopAfter })
      tally.rounds += 1
    }
    const cairn = await start()
    await assertAcknowledged(cairn, ledger, { closures, random, all: true })
    tally.acknowledged += ledger.acknowledged
    tally.pins += [...ledger.entries.values()].filter(({ state }) => state === 'pinned').length
    assert.equal(await cairn.stop(), 0)
    // Unacknowledged content is complete or absent.
    assert.equal(await verifyStore(dataDir), 0)
  } finally {
    ;(now as Started | null)?.child.kill('SIGKILL')
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function verifyStore(dataDir: string): Promise<number> {
  return await runProgram(['store', 'verify', '--data-dir', dataDir, '--json'], {
    out: () => {},
    err: () => {},
    readInput: async () => '',
    env: {},
  })
}
