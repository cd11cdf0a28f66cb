import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { Fault } from '../../base/fault.ts'
import { createObjectGroups } from './object-groups.ts'

/** Object writes that complete when the test ends them. */
function createGroups() {
  const puts: { readonly name: string; readonly bytes: number; end(error?: Error): void }[] = []
  let ids = 0
  const groups = createObjectGroups(
    {
      put: (name, body) =>
        new Promise((resolve, reject) => {
          puts.push({
            name,
            bytes: body.length,
            end: (error) => (error === undefined ? resolve() : reject(error)),
          })
        }),
    },
    { next: async () => ({ id: (ids += 1), token: 1 }) },
  )
  return { groups, puts }
}

const block = (bytes: number): Uint8Array => new Uint8Array(bytes)
const mebibyte = 1024 * 1024

test('while one object is on its way, all that arrives shares the next one', async () => {
  const { groups, puts } = createGroups()
  const first = groups.add([block(10)])
  const others = [groups.add([block(20), block(30)]), groups.add([block(40)])]
  await setImmediate()
  assert.equal(puts.length, 1)
  puts[0]?.end()
  assert.deepEqual(await first, { segment: { id: 1, token: 1, bytes: 10 }, at: [0] })
  await setImmediate()
  assert.deepEqual(
    puts.map(({ name, bytes }) => [name, bytes]),
    [
      ['segments/1', 10],
      ['segments/2', 90],
    ],
  )
  puts[1]?.end()
  const written = await Promise.all(others)
  assert.deepEqual(
    written.map(({ segment, at }) => [segment.id, at]),
    [
      [2, [0, 20]],
      [2, [50]],
    ],
  )
})

test('full objects do not wait for the one before, at most four at a time', async () => {
  const { groups, puts } = createGroups()
  const adds = Array.from({ length: 8 }, () => groups.add([block(5 * mebibyte)]))
  await setImmediate()
  assert.equal(puts.length, 4)
  for (let at = 0; at < adds.length; at += 1) {
    puts[at]?.end()
    await adds[at]
    await setImmediate()
    assert.ok(groups.sending <= 4)
  }
  assert.deepEqual(
    puts.map(({ bytes }) => bytes),
    adds.map(() => 5 * mebibyte),
  )
})

test('an object that fails fails all its commits, and the next one succeeds', async () => {
  const { groups, puts } = createGroups()
  const first = groups.add([block(1)])
  const [second, third] = [groups.add([block(1)]), groups.add([block(1)])]
  await setImmediate()
  puts[0]?.end()
  await first
  await setImmediate()
  puts[1]?.end(new Fault('overloaded'))
  await assert.rejects(second, { code: 'overloaded' })
  await assert.rejects(third, { code: 'overloaded' })
  const fourth = groups.add([block(1)])
  await setImmediate()
  puts[2]?.end()
  assert.equal((await fourth).segment.id, 3)
})

test('beyond 128 MiB in memory, commits are refused', async () => {
  const { groups, puts } = createGroups()
  const adds = Array.from({ length: 16 }, () => groups.add([block(8 * mebibyte)]))
  await assert.rejects(groups.add([block(1)]), { code: 'overloaded' })
  for (let at = 0; at < adds.length; at += 1) {
    await setImmediate()
    puts[at]?.end()
    await adds[at]
  }
  const next = groups.add([block(1)])
  await setImmediate()
  puts.at(-1)?.end()
  await next
})
