import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import type { SettingsChanges } from '../config/changes.ts'
import { loadConfig } from '../config/config.ts'
import { createReload, checkPeriodMs } from './reload.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-reload-'))
after(() => rmSync(folder, { recursive: true }))
let files = 0

async function watch(
  text: string,
  {
    apply = async () => {},
    duringStart = null,
    duringLoad = () => {},
  }: {
    readonly apply?: (changes: SettingsChanges) => Promise<void>
    readonly duringStart?: string | null
    /** Called before the file is read. */
    readonly duringLoad?: (file: string) => void
  } = {},
) {
  const file = join(folder, `${(files += 1)}.yaml`)
  const write = (now: string) => {
    writeFileSync(`${file}.new`, now)
    renameSync(`${file}.new`, file)
  }
  write(text)
  const load = async () => (await loadConfig({ file, env: {}, flags: {} })).config
  let config = await load()
  if (duringStart !== null) write(duringStart)
  const clock = createManualClock()
  const lines: { event: string; facts: Readonly<Record<string, unknown>> }[] = []
  const reload = createReload({
    file,
    load() {
      duringLoad(file)
      return load()
    },
    current: () => config,
    async apply(changes) {
      await apply(changes)
      config = changes.config
    },
    clock,
    log: (_level, event, facts = {}) => lines.push({ event, facts }),
  })
  await reload.idle()
  return {
    file,
    write,
    reload,
    lines,
    clock,
    config: () => config,
    async turns(count: number) {
      for (let turn = 0; turn < count; turn++) {
        clock.advance(checkPeriodMs)
        await reload.idle()
      }
    },
  }
}

test('a changed file is read once it was unchanged for two checks', async () => {
  const { write, turns, config, lines } = await watch('rpc: {batchItemsMax: 10}\n')
  await turns(3)
  assert.deepEqual(lines, [])
  write('rpc: {batchItemsMax: 20}\nhttp: {port: 7}\n')
  await turns(1)
  assert.equal(config().rpc.batchItemsMax, 10)
  await turns(2)
  assert.equal(config().rpc.batchItemsMax, 20)
  assert.equal(config().http.port, 8545)
  assert.deepEqual(
    lines.map(({ event, facts }) => [event, facts['changed'] ?? facts['settings']]),
    [
      ['settings_taken', ['rpc.batchItemsMax']],
      ['settings_need_restart', ['http.port']],
    ],
  )
})

test('a pipe is read only at the start: its settings stay, and a reload does not wait for more', async () => {
  const { file, reload, turns, config, lines } = await watch('rpc: {batchItemsMax: 10}\n')
  rmSync(file)
  execFileSync('mkfifo', [file])
  await turns(3)
  await reload.now()
  assert.equal(config().rpc.batchItemsMax, 10)
  const mistakes = [{ text: `${file} is not a regular file: it is read only at the start` }]
  assert.deepEqual(lines, [{ event: 'settings_refused', facts: { file, mistakes } }])

  // `--config <(…)`: after the start, a second read would return nothing.
  const emptied = createReload({
    file: '/dev/null',
    load: async () => assert.fail('read again'),
    current: config,
    apply: async () => assert.fail('taken over'),
    clock: createManualClock(),
    log: (level, event) => assert.fail(`${level} ${event}`),
  })
  await emptied.stop()
})

test('a file with errors is refused completely, each error is logged, and the old settings stay', async () => {
  const { write, reload, config, lines } = await watch('rpc: {batchItemsMax: 10}\n')
  write('rpc: {batchItemsMax: 20, requestMs: soon}\nlog: {levle: info}\n')
  await reload.now()
  assert.equal(config().rpc.batchItemsMax, 10)
  assert.equal(lines[0]?.event, 'settings_refused')
  assert.match(
    JSON.stringify(lines[0]?.facts['mistakes']),
    /requestMs.*soon.*expected a whole number.*fix.*log\.levle.*fix.*log\.level/,
  )
  write('rpc: {batchItemsMax: 30}\n')
  await reload.now()
  assert.equal(config().rpc.batchItemsMax, 30)
})

test('a file that is written while it is read is read again when it is complete', async () => {
  const halves = ['', 'rpc: {batchItemsMax: ', 'rpc: {batchItemsMax: 2}\n']
  const { write, turns, reload, config, lines } = await watch('rpc: {batchItemsMax: 10}\n', {
    duringLoad(file) {
      const half = halves.shift()
      if (half !== undefined) writeFileSync(file, half)
    },
  })
  await turns(1)
  write('rpc: {batchItemsMax: 20}\n')
  await reload.now()
  write('rpc: {batchItemsMax: 30}\n')
  await turns(2)
  assert.deepEqual([config().rpc.batchItemsMax, lines], [10, []])
  await turns(2)
  assert.equal(config().rpc.batchItemsMax, 2)
  assert.deepEqual(
    lines.map(({ event }) => event),
    ['settings_taken'],
  )
})

test('a missing file changes nothing, and is read again when it is back', async () => {
  const { file, write, turns, config, lines } = await watch('rpc: {batchItemsMax: 10}\n')
  rmSync(file)
  await turns(3)
  assert.deepEqual(lines, [])
  write('rpc: {batchItemsMax: 20}\n')
  await turns(2)
  assert.equal(config().rpc.batchItemsMax, 20)
})

test('settings that cannot be applied leave the old ones in force', async () => {
  const { write, reload, config, lines } = await watch('', {
    async apply() {
      throw new Error('no place for it')
    },
  })
  write('rpc: {batchItemsMax: 20}\n')
  await reload.now()
  assert.equal(config().rpc.batchItemsMax, 100)
  assert.deepEqual(lines[0]?.facts['mistakes'], [{ text: 'no place for it' }])
})

test('signals during a reload cause one more reload, and none is lost', async () => {
  let applied = 0
  const gate = Promise.withResolvers<void>()
  const { write, reload, config } = await watch('', {
    async apply() {
      applied += 1
      await gate.promise
    },
  })
  write('rpc: {batchItemsMax: 20}\n')
  const first = reload.now()
  const others = [1, 2, 3].map(() => reload.now())
  write('rpc: {batchItemsMax: 30}\n')
  gate.resolve()
  await Promise.all([first, ...others])
  await reload.idle()
  assert.equal(config().rpc.batchItemsMax, 30)
  assert.ok(applied <= 2, `${applied} times`)
})

test('a stopped watch checks no more', async () => {
  const { write, reload, turns, config, clock } = await watch('')
  await reload.stop()
  assert.equal(clock.timers, 0)
  write('rpc: {batchItemsMax: 20}\n')
  await turns(3)
  assert.equal(config().rpc.batchItemsMax, 100)
})

test('a change during the start is applied too', async () => {
  const { config, turns } = await watch('rpc: {batchItemsMax: 10}\n', {
    duringStart: 'rpc: {batchItemsMax: 20}\n',
  })
  await turns(1)
  assert.equal(config().rpc.batchItemsMax, 20)
})
