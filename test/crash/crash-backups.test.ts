// Backups under load with kills: while files are added, pinned, unpinned and collected, a command or the server creates backups,
// and kill -9 ends the server, the command, or neither. Each completed backup is restored: it contains everything that was
// acknowledged before it started, byte for byte, and the account's storage total equals a recount. The seed is printed; set
// CAIRN_SEED to repeat a run. `npm run test:crash` runs more rounds.
// Tests guarantee 2 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, readdir, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pause } from '../../src/base/clock.ts'
import { runProgram } from '../../src/cli/program.ts'
import { assertAcknowledged, type BlockSizesByCid } from './check.ts'
import { type Ledger, createLedger, snapshotLedger } from './ledger.ts'
import { runUntilKilled } from './work.ts'
import {
  type AdminClient,
  cookieAt,
  openAdminClient,
  takeFirstRun,
} from '../fakes/people/admin-client.ts'
import { type Random, seeded } from '../fakes/seeded.ts'
import { type Started, bin, startCairn, temporaryFolder } from '../started-server.ts'

const rounds = Number(process.env['CAIRN_BACKUP_ROUNDS'] ?? 4)
/** No round starts after this time. */
const secondsMax = Number(process.env['CAIRN_BACKUP_SECONDS'] ?? 25)
const seed = Number(process.env['CAIRN_SEED'] ?? randomInt(2 ** 31))
/** Rounds per folder, so that the disk does not fill. */
const roundsOfFolder = 8

type Tally = { rounds: number; backups: number; killed: number; pins: number; acknowledged: number }

test(`everything acknowledged before a backup is in it, in ${rounds} rounds with kills (seed ${seed})`, async (t) => {
  const began = performance.now()
  const isTime = () => performance.now() - began < secondsMax * 1000
  const tally: Tally = { rounds: 0, backups: 0, killed: 0, pins: 0, acknowledged: 0 }
  for (let number = 0; tally.rounds < rounds && isTime(); number += 1) {
    await backUpInFolder(number, Math.min(roundsOfFolder, rounds - tally.rounds), isTime, tally)
  }
  t.diagnostic(
    `${tally.rounds} rounds, ${tally.acknowledged} acknowledgements, ${tally.killed} backups killed; ` +
      `${tally.backups} backups restored with ${tally.pins} pins`,
  )
  assert.ok(tally.backups > 0)
})

async function backUpInFolder(
  number: number,
  count: number,
  isTime: () => boolean,
  tally: Tally,
): Promise<void> {
  const random = seeded(seed + number)
  const root = await temporaryFolder()
  const [dataDir, to] = [join(root, 'data'), join(root, 'backups')]
  const ledger = createLedger()
  const closures: BlockSizesByCid = new Map()
  let first: Started | null = null
  let operator: AdminClient | null = null
  let now: Started | null = null
  try {
    for (let round = 0; round < count && isTime(); round += 1) {
      await age(dataDir)
      const started: Started = await startCairn({ dataDir, env: { CAIRN_BACKUP_TO: to } })
      now = started
      first ??= started
      operator ??= await takeFirstRun(started)
      const { apiKey, apiKeySecret } = first
      const keys = { apiKey, apiKeySecret }
      // Determines the result of commands that the kill of the previous round interrupted.
      await assertAcknowledged({ ...started, ...keys }, ledger, { closures, random, all: false })
      const stopAfter = 20 + random(60)
      const working = runUntilKilled({ ...started, ...keys }, ledger, {
        random,
        own: `${seed} ${number}.${round}`,
        stopAfter,
      })
      const backups = backUpMeanwhile({ started, operator, to, random, ledger, tally })
      await working
      for (const { id, expected } of await backups) {
        await assertRestored({ to, id, root, keys, expected, random })
        tally.backups += 1
        tally.pins += [...expected.entries.values()].filter(
          ({ state }) => state === 'pinned',
        ).length
      }
      tally.rounds += 1
    }
    tally.acknowledged += ledger.acknowledged
  } finally {
    ;(now as Started | null)?.child.kill('SIGKILL')
    await rm(root, { recursive: true, force: true })
  }
}

/** No server runs, so written segments do not change. */
async function age(dataDir: string): Promise<void> {
  const past = Date.now() / 1000 - 3600
  for (const kind of ['ext', 'log']) {
    const folder = join(dataDir, 'store', kind)
    const names = await readdir(folder).catch(() => [])
    for (const name of names) await utimes(join(folder, name), past, past)
  }
}

type Finished = { readonly id: string; readonly expected: Ledger }

/** The kinds of backups of a round, in order. The last one always completes, with or without a server. */
const plans = [
  ['command'],
  ['server', 'command'],
  ['killed', 'command'],
  ['killed', 'server', 'command'],
] as const

/** Resolves with the completed backups. */
async function backUpMeanwhile(parts: {
  readonly started: Started
  readonly operator: AdminClient
  readonly to: string
  readonly random: Random
  readonly ledger: Ledger
  readonly tally: Tally
}): Promise<readonly Finished[]> {
  const { started, operator, to, random, ledger, tally } = parts
  const finished: Finished[] = []
  for (const kind of plans[tally.rounds % plans.length] ?? []) {
    await pause(random(150))
    const began = Date.now()
    const state = snapshotLedger(ledger)
    const killAfterMs = kind === 'killed' ? random(50) : null
    if (kind === 'server') await backUpByServer(started, operator)
    else if (!(await backUpByCommand(started.dataDir, to, killAfterMs))) tally.killed += 1
    const ids = await listBegun(to, began)
    // After the list: the content of a listed backup was requested before.
    const expected = state.complete()
    for (const id of ids) finished.push({ id, expected })
  }
  return finished
}

/** Backups that started at or after this time. The server's schedule may have started an earlier one. */
async function listBegun(to: string, time: number): Promise<readonly string[]> {
  const folder = join(to, 'backups')
  const names = await readdir(folder).catch(() => [])
  const ids: string[] = []
  for (const name of names) {
    const { id, began } = JSON.parse(await readFile(join(folder, name), 'utf8')) as {
      id: string
      began: number
    }
    if (began >= time) ids.push(id)
  }
  return ids
}

/** `killAfterMs`: time after it created its staging folder; null: it is not killed. False: it was killed. */
async function backUpByCommand(
  dataDir: string,
  to: string,
  killAfterMs: number | null,
): Promise<boolean> {
  const child = spawn(process.execPath, [bin, 'backup', '--to', to, '--data-dir', dataDir], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let err = ''
  child.stderr.on('data', (text: Buffer) => (err += text.toString()))
  const exit = once(child, 'exit') as Promise<[number | null, string | null]>
  if (killAfterMs !== null) {
    while (!existsSync(join(dataDir, 'backup-staging')) && child.exitCode === null) await pause(1)
    await pause(killAfterMs)
    child.kill('SIGKILL')
  }
  const [code, signal] = await exit
  if (signal === 'SIGKILL') return false
  // The server's schedule may have started one at the same time.
  if (code !== 0) assert.match(err, /another backup of .* is running/)
  return true
}

/** Resolves when the backup, or the server, has ended. */
async function backUpByServer({ url }: Started, operator: AdminClient): Promise<void> {
  const client = openAdminClient(url)
  client.cookie = cookieAt(operator.cookie, url)
  try {
    await client.ask('POST', '/backups', {})
    for (;;) {
      const { body, status, message } = await client.ask('GET', '/backups/state')
      assert.equal(status, 200, message)
      if (body['lastFailure'] !== null) {
        assert.match(JSON.stringify(body['lastFailure']), /another backup of .* is running/)
      }
      if (body['running'] === null) return
      await pause(50)
    }
  } catch (error) {
    // The error is due to the kill of the server.
    if (error instanceof assert.AssertionError) throw error
  }
}

async function assertRestored(parts: {
  readonly to: string
  readonly id: string
  readonly root: string
  readonly keys: Pick<Started, 'apiKey' | 'apiKeySecret'>
  readonly expected: Ledger
  readonly random: Random
}): Promise<void> {
  const { to, id, root, keys, expected, random } = parts
  const dataDir = join(root, `restored-${id}`)
  await run('backup', 'verify', id, '--from', to)
  await run('restore', '--from', to, '--backup', id, '--data-dir', dataDir)
  const server = await startCairn({ dataDir })
  try {
    const copy = { ...server, ...keys }
    await assertAcknowledged(copy, expected, { closures: new Map(), random, all: true })
    assert.equal(await server.stop(), 0)
    await run('store', 'verify', '--data-dir', dataDir)
  } finally {
    server.child.kill('SIGKILL')
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function run(...args: readonly string[]): Promise<void> {
  const output: string[] = []
  const note = (text: string) => void output.push(text)
  const code = await runProgram(args, { out: note, err: note, readInput: async () => '', env: {} })
  assert.equal(code, 0, output.join(''))
}
