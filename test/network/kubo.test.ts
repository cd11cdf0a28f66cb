// The network process with a real Kubo: blocks in both directions, raw and in files.
import { equal, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { missingKubo, startKubo } from '../engines/kubo.ts'
import { fetchDag, fileDag } from '../fakes/dags.ts'
import { startNetChild } from '../fakes/net-child.ts'

const skip = missingKubo()
const limit = { skip, timeout: 300_000 }

for (const [name, bytes] of [
  ['1 byte', 1],
  ['100 MiB', 100 * 1024 * 1024],
] as const) {
  test(`Kubo reads a file of ${name} from the child`, limit, async (t) => {
    const [child, kubo] = await Promise.all([startNetChild(t), startKubo(t)])
    const content = randomBytes(bytes)
    const { root, blocks } = fileDag(content)
    for (const [key, block] of blocks) child.blocks.set(key, block)
    await kubo.connect(child.address)
    const began = performance.now()
    const read = await kubo.bytes('cat', { arg: root })
    t.diagnostic(`${Math.round(performance.now() - began)} ms`)
    ok(read.equals(content))
  })

  test(`the child fetches a file of ${name} from Kubo`, limit, async (t) => {
    const [child, kubo] = await Promise.all([startNetChild(t), startKubo(t)])
    const content = randomBytes(bytes)
    const root = await kubo.add(content, { 'cid-version': '1' })
    const began = performance.now()
    const session = child.open(root, [kubo.address])
    const found = await fetchDag(session, root)
    t.diagnostic(`${Math.round(performance.now() - began)} ms`)
    const leaves = [...found.values()].reduce((sum, block) => sum + block.length, 0)
    ok(leaves >= bytes)
    equal(found.size >= 1, true)
  })
}

/** Kubo creates a HAMT for a list over 256 KiB. */
const files = 4_000

test('a folder in a HAMT goes from Kubo over the child to another Kubo', limit, async (t) => {
  const [child, one, other] = await Promise.all([startNetChild(t), startKubo(t), startKubo(t)])
  const names = Array.from(
    { length: files },
    (_, at) => `file ${at} of a folder whose list of names is long`,
  )
  const root = await one.addFolder(new Map(names.map((name) => [name, Buffer.from(name)])))
  const found = await fetchDag(child.open(root, [one.address]), root)
  // The files, and the nodes of the HAMT.
  ok(found.size > files + 10, `${found.size} blocks`)
  for (const [key, block] of found) child.blocks.set(key, block)
  await other.connect(child.address)
  const refs = await other.call('refs', { arg: root, recursive: 'true', unique: 'true' })
  equal(refs.trim().split('\n').length, found.size - 1)
})
