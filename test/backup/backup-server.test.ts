// Backups by the server: schedule, admin operations, metrics, failures.
import assert from 'node:assert/strict'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { backUpInThread } from '../../src/backup/back-up-in-thread.ts'
import { encodeManifest, newManifest } from '../../src/backup/manifest.ts'
import type { BackupTask, TaskResult } from '../../src/backup/run-backup.ts'
import { pause } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { Config } from '../../src/config/settings.ts'
import { runBackups } from '../../src/server/run-backups.ts'
import { takeFirstRun } from '../fakes/people/admin-client.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { parseMetrics } from '../fakes/metrics-text.ts'
import { createManualClock } from '../fakes/manual-clock.ts'
import { runCli, startCairn, temporaryFolder } from '../started-server.ts'

const hourMs = 3_600_000

type State = {
  target: string | null
  running: object | null
  lastSuccess: { id: string; bytes: number } | null
  lastFailure: { reason: string } | null
}

async function folder(t: TestContext): Promise<string> {
  const path = await temporaryFolder()
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

async function until<T>(check: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await check()
    if (found !== null) return found
    await pause(20)
  }
}

test('an operator begins a backup, follows its state and lists it; metrics show it', async (t) => {
  const root = await folder(t)
  const to = join(root, 'backups')
  const server = await startCairn({
    env: { CAIRN_BACKUP_TO: to, CAIRN_METRICS_LOCAL: 'true' },
  })
  t.after(() => server.child.kill('SIGKILL'))
  await filesClient(server).add(Buffer.from('stone'))
  const page = await takeFirstRun(server)
  const stateNow = async () => (await page.ask('GET', '/backups/state')).body as unknown as State
  const before = await stateNow()
  assert.partialDeepStrictEqual(before, { target: to, everyHours: 24, keep: 7, lastFailure: null })
  const begun = await page.ask('POST', '/backups', {})
  assert.equal(begun.status, 200, begun.message)
  const again = await page.ask('POST', '/backups', {})
  assert.ok(again.status === 200 || again.code === 'conflict', again.message)
  const done = await until(async () => {
    const now = await stateNow()
    assert.equal(now.lastFailure, null)
    return now.running === null && now.lastSuccess !== null ? now.lastSuccess : null
  })
  const listed = (await page.ask('GET', '/backups')).body as { backups: { id: string }[] }
  assert.equal(listed.backups.at(-1)?.id, done.id)
  assert.partialDeepStrictEqual(await runCli(['backup', 'verify', '--from', to, '--json']), {
    ok: true,
    pins: 1,
  })
  const { valueOf } = parseMetrics(await (await fetch(`${server.url}/metrics`)).text())
  assert.equal(valueOf('cairn_backup_interval_seconds', {}), 86_400)
  assert.ok((valueOf('cairn_backup_last_success_timestamp_seconds', {}) ?? 0) > 0)
  assert.equal(await server.stop(), 0)
})

test('without a target there are no backups, and a target that cannot be written is reported', async (t) => {
  const root = await folder(t)
  await writeFile(join(root, 'file'), '')
  const none = await startCairn()
  t.after(() => none.child.kill('SIGKILL'))
  const page = await takeFirstRun(none)
  const refused = await page.ask('POST', '/backups', {})
  assert.deepEqual([refused.status, refused.message], [404, 'no target of backups: set backup.to'])
  assert.equal((await page.ask('GET', '/backups')).code, 'absent')
  await none.stop()
  const server = await startCairn({ env: { CAIRN_BACKUP_TO: join(root, 'file', 'x') } })
  t.after(() => server.child.kill('SIGKILL'))
  const other = await takeFirstRun(server)
  const lists = await other.ask('GET', '/backups')
  assert.equal(lists.code, 'command_failed')
  await other.ask('POST', '/backups', {})
  const failure = await until(async () => {
    const { lastFailure } = (await other.ask('GET', '/backups/state')).body as unknown as State
    return lastFailure
  })
  assert.match(failure.reason, /file\/x.*: a file exists where a folder is expected$/)
  await server.stop()
})

test('a server that stops ends its backup, and the data folder has no staging afterwards', async (t) => {
  const root = await folder(t)
  const dataDir = join(root, 'data')
  const server = await startCairn({ dataDir, env: { CAIRN_BACKUP_TO: join(root, 'to') } })
  t.after(() => server.child.kill('SIGKILL'))
  const page = await takeFirstRun(server)
  await page.ask('POST', '/backups', {})
  assert.equal(await server.stop(), 0)
  assert.ok(!(await readdir(dataDir)).includes('backup-staging'))
  // After kill -9 the next start removes the staging folder.
  await mkdir(join(dataDir, 'backup-staging', 'ext'), { recursive: true })
  const next = await startCairn({ dataDir })
  assert.ok(!(await readdir(dataDir)).includes('backup-staging'))
  assert.equal(await next.stop(), 0)
})

async function scheduleOf(
  t: TestContext,
  run: (task: BackupTask) => Promise<TaskResult>,
  env: Record<string, string> = {},
) {
  const to = await folder(t)
  const dataDir = await folder(t)
  const { config } = await loadConfig({
    file: null,
    env: { CAIRN_BACKUP_TO: to, CAIRN_DATA_DIR: dataDir, ...env },
    flags: {},
  })
  const clock = createManualClock()
  const tasks: BackupTask[] = []
  const settings: { now: Config } = { now: config }
  const runInThread: typeof backUpInThread = async (task) => {
    tasks.push(task)
    return await run(task)
  }
  const backups = runBackups({
    server: 'aa',
    version: '0',
    settings,
    clock,
    log: silentLog,
    runInThread,
  })
  t.after(() => backups.stop())
  /** Advances the clock by minutes, and waits for the reads of the target after each. */
  const advance = async (ms: number) => {
    for (let elapsed = 0; elapsed < ms; elapsed += 60_000) {
      clock.advance(60_000)
      for (let index = 0; index < 5; index += 1) await pause(0)
    }
  }
  return { backups, clock, tasks, advance, settings, to }
}

function resultAt(now: number): TaskResult {
  return {
    id: '20260101T000000000Z-000000',
    began: now,
    ended: now,
    files: 1,
    bytes: 1,
    storedFiles: 1,
    storedBytes: 1,
    missing: [],
    removed: 0,
    notRemoved: null,
  }
}

test('the schedule makes a backup soon after the first start, then each interval', async (t) => {
  const schedule = await scheduleOf(t, async () => resultAt(schedule.clock.now()), {
    CAIRN_BACKUP_EVERY_HOURS: '2',
    CAIRN_BACKUP_KEEP: '3',
  })
  await schedule.advance(120_000)
  assert.equal(schedule.tasks.length, 1)
  assert.equal(schedule.tasks[0]?.keep, 3)
  await schedule.advance(hourMs)
  assert.equal(schedule.tasks.length, 1)
  await schedule.advance(hourMs)
  assert.equal(schedule.tasks.length, 2)
})

test('a failed backup is tried again after an hour', async (t) => {
  let failing = true
  const schedule = await scheduleOf(t, async () => {
    if (failing) throw new Error('no way leads there')
    return resultAt(schedule.clock.now())
  })
  await schedule.advance(120_000)
  assert.equal(schedule.tasks.length, 1)
  assert.equal(schedule.backups.state().lastFailure?.reason, 'no way leads there')
  await schedule.advance(hourMs / 2)
  assert.equal(schedule.tasks.length, 1)
  failing = false
  await schedule.advance(hourMs / 2)
  assert.equal(schedule.tasks.length, 2)
  assert.equal(schedule.backups.state().lastFailure, null)
  assert.ok(schedule.backups.state().lastSuccess)
})

test('a backup of a command counts for the schedule; a damaged manifest does not end it', async (t) => {
  const failing = async () => {
    throw new Error('no way leads there')
  }
  const schedule = await scheduleOf(t, failing, { CAIRN_BACKUP_EVERY_HOURS: '3' })
  const { clock, tasks, advance, to, backups } = schedule
  await advance(120_000)
  assert.equal(tasks.length, 1)
  const folder = join(to, 'backups')
  await mkdir(folder)
  const manifestOf = (id: string, server: string) => {
    const files = [{ path: 'cairn.db', bytes: 1, sha256: 'a'.repeat(64), modified: null }]
    const began = clock.now()
    const parts = { id, server, cairn: '0', began, ended: began, missing: [], files }
    return encodeManifest(newManifest(parts))
  }
  const id = '20260101T003000000Z-000000'
  await writeFile(join(folder, `${id}.json`), manifestOf(id, 'aa'))
  await writeFile(join(folder, '20260101T004000000Z-000000.json'), 'damaged')
  await advance(2 * hourMs)
  assert.equal(tasks.length, 1)
  assert.equal(backups.state().lastSuccess?.id, id)
  assert.equal(backups.state().lastFailure, null)
  await advance(1.5 * hourMs)
  assert.equal(tasks.length, 2)
  // A backup of another server does not count as a success of this one.
  const other = '20260101T040000000Z-000000'
  await writeFile(join(folder, `${other}.json`), manifestOf(other, 'bb'))
  await advance(2 * hourMs)
  assert.match(backups.state().lastFailure?.reason ?? '', /contains backups of another server/)
})

test('a target that is removed from the settings ends the schedule', async (t) => {
  const schedule = await scheduleOf(t, async () => resultAt(schedule.clock.now()))
  const { now } = schedule.settings
  schedule.settings.now = { ...now, backup: { ...now.backup, to: null } }
  await schedule.advance(2 * hourMs)
  assert.equal(schedule.tasks.length, 0)
})
