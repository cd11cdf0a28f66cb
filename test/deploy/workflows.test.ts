// The workflows of .github/: actionlint reports nothing, and each action is pinned to a commit.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { needs, root, run } from './programs.ts'

const workflows = globSync('.github/workflows/*.yml', { cwd: root })

test('actionlint finds nothing in the workflows', needs('actionlint'), async () => {
  assert.ok(workflows.length >= 2)
  assert.equal(await run('actionlint', ['-no-color', ...workflows]), '')
})

test('every action is pinned to a commit, with its version as a comment', () => {
  const uses = workflows.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/uses: (.*)/g)].map(
      ([, used = '']) => used,
    ),
  )
  assert.ok(uses.length > 5)
  assert.deepEqual(
    uses.filter((used) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(used)),
    [],
  )
})
