import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { createManualClock } from '../../test/fakes/manual-clock.ts'
import { createProgress } from './progress.ts'

function rig(terminal: boolean, total = 100, more: { unit?: 'bytes' } = {}) {
  let text = ''
  const clock = createManualClock()
  const context = {
    out: () => {},
    err: (more: string) => (text += more),
    readInput: async () => '',
    env: {},
    terminal: { out: false, err: terminal },
  }
  const progress = createProgress(context, { title: 'checked', total, clock, ...more })
  return { progress, clock, text: () => text }
}

test('a terminal shows a bar, drawn ten times a second at most, and gone at the end', () => {
  const { progress, clock, text } = rig(true)
  progress.at(1)
  progress.at(2)
  assert.equal(text().split('\r').length, 2)
  clock.advance(100)
  progress.at(50)
  assert.match(text(), /\rchecked \[#{15} {15}\] 50 % \(50 of 100\)$/)
  progress.end()
  assert.ok(text().endsWith('\r\u001b[K'))
})

test('elsewhere every tenth is a line once the work has taken a while, and short work says nothing', () => {
  const { progress, clock, text } = rig(false)
  for (let done = 1; done <= 30; done++) progress.at(done)
  assert.equal(text(), '')
  clock.advance(6000)
  for (let done = 31; done <= 50; done++) progress.at(done)
  progress.end()
  assert.equal(
    text(),
    'checked: 30 % (31 of 100)\nchecked: 40 % (40 of 100)\nchecked: 50 % (50 of 100)\n',
  )
})

test('Ctrl-C takes the bar away and says so before it ends the process by its signal', () => {
  const module = JSON.stringify(new URL('./progress.ts', import.meta.url).href)
  const program = `
    const { createProgress } = await import(${module})
    const context = { out() {}, err: (text) => process.stderr.write(text), env: { NO_COLOR: '1' }, terminal: { out: true, err: true } }
    const clock = { monotonic: () => performance.now() }
    createProgress(context, { title: 'checked', total: 10, clock, interrupted: 'interrupted: again' }).at(1)
    process.kill(process.pid, 'SIGINT')
    setTimeout(() => {}, 10_000)`
  const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  })
  assert.equal(signal, 'SIGINT')
  assert.ok(stderr.endsWith('10 % (1 of 10)\r\u001b[Kcairn: interrupted: again\n'), stderr)
})

test('nothing to do draws nothing', () => {
  const { progress, text } = rig(true, 0)
  progress.at(0)
  progress.end()
  assert.equal(text(), '')
})

test('bytes are shown as MiB', () => {
  const { progress, text } = rig(true, 3 * 2 ** 20, { unit: 'bytes' })
  progress.at(2 ** 20)
  assert.match(text(), /33 % \(1\.0 MiB of 3\.0 MiB\)$/)
})
