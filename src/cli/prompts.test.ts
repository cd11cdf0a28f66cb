import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { promptTerminal, promptText } from './prompts.ts'

test('a text gives one answer a line, and says which question it left open', async () => {
  const questions = promptText(' one \r\n\ntwo\n')
  assert.equal(await questions.ask('a?'), 'one')
  assert.equal(await questions.ask('b?'), '')
  assert.equal(await questions.ask('c?'), 'two')
  await assert.rejects(questions.ask('d? '), /^UsageError: standard input ended before "d\?"/)
})

test('a person is shown the question and gives one line; Ctrl-C and Ctrl-D end the dialogue', async () => {
  for (const control of ['\u0003', '\u0004']) {
    const keyboard = new PassThrough()
    const screen = new PassThrough()
    const questions = promptTerminal(keyboard, screen)
    const answer = questions.ask('what? ')
    keyboard.write('typed\nahead\n')
    assert.equal(await answer, 'typed')
    assert.equal(await questions.ask('more? '), 'ahead')
    assert.match(String(screen.read()), /what\? /)
    const next = questions.ask('and? ')
    keyboard.write(control)
    await assert.rejects(next, /^UsageError: interrupted/)
    questions.close()
  }
})

test('what is typed hidden reaches the program as it is, and the screen never', async () => {
  const keyboard = new PassThrough()
  const screen = new PassThrough()
  const questions = promptTerminal(keyboard, screen)
  const answer = questions.askHidden('password? ')
  keyboard.write(' a stone on a stone \n')
  assert.equal(await answer, ' a stone on a stone ')
  const shown = questions.ask('name? ')
  keyboard.write('ada\n')
  assert.equal(await shown, 'ada')
  const seen = String(screen.read())
  assert.match(seen, /password\? /)
  assert.match(seen, /name\? .*ada/s)
  assert.ok(!seen.includes('stone'))
  questions.close()
  assert.equal(await promptText(' kept \n').askHidden('password?'), ' kept ')
})
