import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runProgram } from '../program.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-completion-'))
after(() => rmSync(folder, { recursive: true }))
mkdirSync(join(folder, 'data'))
writeFileSync(join(folder, 'cairn.yaml'), '')

async function scriptFor(shell: string): Promise<string> {
  let out = ''
  const code = await runProgram(['completion', shell], {
    out: (text) => (out += text),
    err: () => {},
    readInput: async () => '',
    env: {},
  })
  assert.equal(code, 0)
  return out
}

const has = (program: string) => spawnSync(program, ['-c', 'true']).status === 0

/** Returns bash's completions of the last word of the line. */
async function complete(line: string): Promise<readonly string[]> {
  const words = line.split(' ')
  const quoted = words.map((word) => `'${word}'`).join(' ')
  const script = `${await scriptFor('bash')}
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _cairn; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' })
  assert.equal(stderr, '')
  return stdout.split('\n').filter((word) => word !== '')
}

test('bash completes commands, subcommands, options, files and folders', async (context) => {
  if (!has('bash')) return context.skip('left out: there is no bash here')
  assert.deepEqual(await complete('cairn ke'), ['keys'])
  assert.deepEqual(await complete('cairn keys ro'), ['rotate'])
  assert.deepEqual(await complete('cairn keys rotate some-id --over'), ['--overlap'])
  assert.deepEqual(await complete('cairn --json keys create --units-per-d'), ['--units-per-day'])
  assert.deepEqual(await complete('cairn start --config ca'), ['cairn.yaml'])
  assert.deepEqual(await complete('cairn start --data-dir '), ['data'])
  assert.deepEqual(await complete('cairn keys create --name '), [])
  assert.deepEqual(await complete('cairn completion '), ['bash', 'zsh', 'fish', '--help'])
  assert.deepEqual(await complete('cairn nope '), await complete('cairn '))
})

test('the scripts of zsh and fish name every command and are read without complaint', async (context) => {
  for (const shell of ['zsh', 'fish']) {
    const script = await scriptFor(shell)
    for (const name of ['rotate', 'start', 'secret-only', 'data-dir', 'mapping']) {
      assert.match(script, new RegExp(name), shell)
    }
    if (has(shell)) assert.equal(spawnSync(shell, ['-n', '-c', script]).status, 0, shell)
    else context.diagnostic(`left out: there is no ${shell} here to read its script`)
  }
})

test('what the script holds follows the options: nothing is listed twice', async () => {
  const words = await complete('cairn keys create --')
  assert.equal(new Set(words).size, words.length)
  assert.ok(words.includes('--import-key'))
})
