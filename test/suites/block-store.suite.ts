// The guarantees of every BlockStore (src/content/block-store.ts). The test file of an implementation calls `blockStoreSuite` with
// a function that creates a store over an empty database.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import type { ContentKind, ContentRef, UnverifiedItem } from '../../src/content/ref.ts'
import { leafPrefix, leafSuffix } from '../../src/codec/ipld/leaf-frame.ts'
import type { FileLeaf, BlockStore, ReadBatch, StoredChunk } from '../../src/content/block-store.ts'
import { NothingChanged, type Statement } from '../../src/db/writer.ts'

export type StoreFixture = {
  readonly store: BlockStore
  /** Names in the table `account` of the database that stores the rows. */
  readonly accountNames: () => Promise<readonly string[]> | readonly string[]
  close(): Promise<void>
}

export function blockStoreSuite(
  name: string,
  create: () => Promise<StoreFixture>,
  { skip = false }: { readonly skip?: string | false } = {},
): void {
  const promise = (title: string, run: (fixture: StoreFixture) => Promise<void>): void => {
    test(title, { skip }, async () => {
      const fixture = await create()
      try {
        await run(fixture)
      } finally {
        await fixture.close()
      }
    })
  }

  suite(name, () => {
    promise('an item that was never stored is absent', async ({ store }) => {
      assert.equal(await find(store, item('a').ref), null)
      assert.equal(await store.has(item('a').ref), false)
    })

    promise('a commit is readable as soon as it resolved', async ({ store }) => {
      await store.put([item('a'), item('b')])
      assert.deepEqual(await find(store, item('a').ref), item('a').bytes)
      assert.deepEqual(await find(store, item('b').ref), item('b').bytes)
      assert.equal(await store.has(item('b').ref), true)
    })

    promise(
      'what was looked for in vain is found as soon as its commit resolved',
      async ({ store }) => {
        assert.equal(await find(store, item('a').ref), null)
        assert.equal(await find(store, item('a').ref), null)
        await store.put([item('a')])
        assert.deepEqual(await find(store, item('a').ref), item('a').bytes)
        assert.equal(await find(store, item('b').ref), null)
        const batch = store.batch()
        await batch.put([item('b')])
        assert.equal(await find(store, item('b').ref), null)
        await batch.commit()
        assert.deepEqual(await find(store, item('b').ref), item('b').bytes)
      },
    )

    promise('kinds do not share names', async ({ store }) => {
      await store.put([item('a', 'code')])
      assert.equal(await find(store, item('a', 'trie-node').ref), null)
    })

    promise('empty bytes are stored', async ({ store }) => {
      const empty: UnverifiedItem = { ref: item('a').ref, bytes: new Uint8Array() }
      await store.put([empty])
      assert.deepEqual(await find(store, empty.ref), new Uint8Array())
    })

    promise('putting an existing item changes nothing', async ({ store }) => {
      const { ref } = item('a')
      await store.put([item('a')])
      await store.put([{ ref, bytes: Uint8Array.of(9) }, item('b'), item('b')])
      assert.deepEqual(await find(store, ref), item('a').bytes)
      assert.deepEqual(await find(store, item('b').ref), item('b').bytes)
    })

    promise('a caller may reuse its buffer once a call was made', async ({ store }) => {
      const bytes = item('a').bytes.slice()
      const done = store.put([{ ref: item('a').ref, bytes }])
      bytes.fill(0)
      await done
      assert.deepEqual(await find(store, item('a').ref), item('a').bytes)
    })

    promise('and of Buffers, whose slices are no copies', async ({ store }) => {
      const items = [item('a'), item('b'), item('c', 'code'), item('d')]
      const copies = items.map(({ ref, bytes }) => ({
        ref: { kind: ref.kind, hash: Buffer.from(ref.hash) },
        bytes: Buffer.from(bytes),
      }))
      const reuse = (): void => {
        for (const { ref, bytes } of copies) {
          ref.hash.fill(0)
          bytes.fill(0)
        }
      }
      const batch = store.batch()
      const put = batch.put(copies.slice(3))
      const done = store.put(copies.slice(0, 3), [account('x')])
      reuse()
      await done
      await put
      await batch.commit()
      for (const { ref, bytes } of items) assert.deepEqual(await find(store, ref), bytes)
    })

    promise('the counts returned are those of the rows', async ({ store, accountNames }) => {
      const changes = await store.put([item('a')], [account('x'), nothing()])
      assert.deepEqual(changes, [1, 0])
      assert.deepEqual(await accountNames(), ['x'])
      assert.deepEqual(await store.put([item('c')]), [])
      assert.deepEqual(await store.put([]), [])
    })

    promise('items and rows are all or nothing', async ({ store, accountNames }) => {
      const rows = [account('x'), { ...nothing(), require: 'change' as const }]
      await assert.rejects(
        store.put([item('a')], rows),
        (error) => error instanceof NothingChanged && error.index === 1,
      )
      assert.equal(await find(store, item('a').ref), null)
      assert.deepEqual(await accountNames(), [])
    })

    promise('concurrent commits are all stored', async ({ store }) => {
      const items = Array.from({ length: 50 }, (_, index) => item(`many ${index}`))
      await Promise.all(items.map((each) => store.put([each, item('shared')])))
      for (const { ref, bytes } of items) assert.deepEqual(await find(store, ref), bytes)
    })

    promise('a copy in quarantine is not found, and a new one replaces it', async ({ store }) => {
      const { ref, bytes } = item('a')
      for (const put of [
        () => store.put([{ ref, bytes }]),
        async () => {
          const batch = store.batch()
          await batch.put([{ ref, bytes }])
          await batch.commit()
        },
      ]) {
        const wrong = item('b')
        await store.put([{ ref: wrong.ref, bytes: Uint8Array.of(1) }])
        assert.deepEqual(await store.get(wrong.ref, 'reread'), Uint8Array.of(1))
        await store.put([{ ref, bytes }])
        await store.quarantine(ref)
        assert.ok(store.quarantineFlag.isUp)
        assert.equal(await find(store, ref), null)
        assert.equal(await store.get(ref, 'reread'), null)
        assert.equal(await store.has(ref), false)
        assert.deepEqual(await store.get(ref, 'quarantined'), bytes)
        await put()
        assert.deepEqual(await find(store, ref), bytes)
        assert.equal(await store.get(ref, 'quarantined'), null)
      }
      await store.quarantine(item('never').ref)
      assert.equal(await store.get(item('never').ref, 'quarantined'), null)
    })

    promise('a copy that left quarantine is found again', async ({ store }) => {
      const { ref, bytes } = item('a')
      await store.put([{ ref, bytes }])
      await store.quarantine(ref)
      await store.release(ref)
      assert.deepEqual(await find(store, ref), bytes)
      assert.equal(await store.has(ref), true)
      assert.equal(await store.get(ref, 'quarantined'), null)
      await store.release(item('never').ref)
    })

    promise('a batch is invisible until its commit', async ({ store, accountNames }) => {
      const batch = store.batch()
      await batch.put([item('a')])
      await batch.put([item('b'), item('a')])
      assert.equal(await find(store, item('a').ref), null)
      assert.equal(await store.has(item('b').ref), false)
      assert.deepEqual(await batch.commit([account('x')]), [1])
      assert.deepEqual(await find(store, item('a').ref), item('a').bytes)
      assert.deepEqual(await find(store, item('b').ref), item('b').bytes)
      assert.deepEqual(await accountNames(), ['x'])
    })

    promise('a discarded batch leaves nothing, however large', async ({ store }) => {
      const batch = store.batch()
      const items = Array.from({ length: 150 }, (_, index) => item(`part ${index}`))
      await batch.put(items)
      await batch.discard()
      await batch.discard()
      for (const { ref } of items) assert.equal(await find(store, ref), null)
      await assert.rejects(batch.put([item('a')]))
      await assert.rejects(batch.commit())
    })

    promise('two batches and a commit may bring the same content', async ({ store }) => {
      const [one, two] = [store.batch(), store.batch()]
      await one.put([item('a'), item('b')])
      await two.put([item('a'), item('c')])
      await store.put([item('b')])
      await one.commit()
      await one.discard()
      await two.commit()
      for (const name of ['a', 'b', 'c']) {
        assert.deepEqual(await find(store, item(name).ref), item(name).bytes)
      }
    })

    promise('discarding one batch leaves the other one alone', async ({ store }) => {
      const [one, two] = [store.batch(), store.batch()]
      await one.put([item('a')])
      await two.put([item('a')])
      await one.discard()
      await two.commit()
      assert.deepEqual(await find(store, item('a').ref), item('a').bytes)
    })

    promise('reads return items in order, with null for absent ones', async ({ store }) => {
      const items = Array.from({ length: 40 }, (_, index) => item(`read ${index}`))
      await store.put(items)
      const refs = [...items.map(({ ref }) => ref), item('never').ref, item('read 0').ref]
      const texts: (string | null)[] = []
      for await (const piece of eachPiece(store.read(refs, new AbortController().signal))) {
        if (piece !== null) assert.equal(piece.leaf, false)
        texts.push(piece === null ? null : Buffer.from(piece.data).toString())
      }
      assert.deepEqual(texts, [...items.map((_, index) => `read ${index}`), null, 'read 0'])
    })

    promise('a group stays valid until the second next group is requested', async ({ store }) => {
      const items = Array.from({ length: 300 }, (_, index) => item(`${index}`.repeat(20_000)))
      await store.put(items)
      const refs = items.map(({ ref }) => ref)
      let last: readonly (readonly [Uint8Array, Uint8Array])[] = []
      let at = 0
      for await (const group of store.read(refs, new AbortController().signal)) {
        for (const [piece, bytes] of last) assert.ok(Buffer.from(bytes).equals(piece))
        last = group.map((piece, index) => {
          assert.ok(piece)
          return [piece.data, (items[at + index] as UnverifiedItem).bytes] as const
        })
        at += group.length
      }
      assert.equal(at, items.length)
    })

    promise('a read ends when its caller leaves', async ({ store }) => {
      await store.put([item('a'), item('b')])
      const caller = new AbortController()
      const pieces = store.read([item('a').ref, item('b').ref], caller.signal)
      assert.notEqual((await pieces.next()).value, null)
      caller.abort()
      await assert.rejects(pieces.next(), { name: 'AbortError' })
    })

    for (const form of ['dag-pb', 'raw'] as const) {
      promise(`${form} leaves are cut from bytes that come in any pieces`, async ({ store }) => {
        for (const [index, total] of [1, 4096, 4097, 20_000, 65_536].entries()) {
          const content = Buffer.alloc(total, `content ${index} `)
          const batch = store.batch()
          const leaves: FileLeaf[] = []
          const writer = batch.leaves({ bytes: 4096, form }, (leaf) => leaves.push(leaf), 7)
          const pieceBytes = [1, 4096, 1000, 5000, 65_536][index] ?? 1
          for (let at = 0; at < total; at += pieceBytes) {
            const piece = Uint8Array.from(content.subarray(at, at + pieceBytes))
            const wait = writer.write(piece)
            piece.fill(0)
            if (wait !== null) await wait
          }
          await writer.end()
          const [first] = leaves
          assert.ok(first)
          assert.equal(leaves.length, Math.ceil(total / 4096))
          assert.equal(await store.has({ kind: 'dag-block', hash: first.multihash }), false)
          await batch.commit()
          const blocks = await Promise.all(
            leaves.map(({ multihash }) => find(store, { kind: 'dag-block', hash: multihash })),
          )
          for (const [at, { multihash, bytes, size }] of leaves.entries()) {
            const block = blocks[at]
            assert.ok(block)
            const data = content.subarray(at * 4096, at * 4096 + bytes)
            const frame = form === 'raw' ? [] : [leafPrefix(bytes), data, leafSuffix(bytes)]
            assert.deepEqual(
              Buffer.from(block),
              form === 'raw' ? Buffer.from(data) : Buffer.concat(frame),
            )
            assert.equal(block.length, size)
            assert.deepEqual(
              Buffer.from(multihash),
              Buffer.concat([Buffer.of(0x12, 0x20), createHash('sha256').update(block).digest()]),
            )
          }
          const refs = leaves.map(({ multihash }) => ({
            kind: 'dag-block' as const,
            hash: multihash,
          }))
          let at = 0
          for await (const piece of eachPiece(store.read(refs, new AbortController().signal))) {
            assert.ok(piece)
            const whole = piece.leaf
              ? content.subarray(at * 4096, at * 4096 + 4096)
              : (blocks[at] ?? new Uint8Array())
            assert.deepEqual(Buffer.from(piece.data), Buffer.from(whole))
            at += 1
          }
          assert.equal(at, leaves.length)
        }
      })
    }

    promise('leaves of a discarded batch are not there', async ({ store }) => {
      const batch = store.batch()
      const leaves: FileLeaf[] = []
      const writer = batch.leaves({ bytes: 4096, form: 'dag-pb' }, (leaf) => leaves.push(leaf))
      await writer.write(new Uint8Array(10_000).fill(1))
      await writer.end()
      await batch.discard()
      assert.equal(leaves.length, 3)
      for (const { multihash } of leaves) {
        assert.equal(await store.has({ kind: 'dag-block', hash: multihash }), false)
      }
    })

    promise('a batch whose rows fail stores nothing and can be discarded', async (fixture) => {
      const { store, accountNames } = fixture
      const batch = store.batch()
      await batch.put([item('a')])
      await assert.rejects(
        batch.commit([account('x'), { ...nothing(), require: 'change' }]),
        (error) => error instanceof NothingChanged && error.index === 1,
      )
      assert.equal(await find(store, item('a').ref), null)
      assert.deepEqual(await accountNames(), [])
      await batch.discard()
    })
  })
}

/** As `get`; for a store with `peek`, asserts that it finds the same. */
async function find(store: BlockStore, ref: ContentRef): Promise<Uint8Array | null> {
  const bytes = await store.get(ref)
  if (store.peek !== undefined && store.isRemote?.(ref.kind) !== true)
    assert.deepEqual(store.peek(ref), bytes)
  return bytes
}

/** The chunks of all groups, one by one; valid as long as their groups. */
export async function* eachPiece(
  groups: AsyncIterable<ReadBatch>,
): AsyncGenerator<StoredChunk | null> {
  for await (const group of groups) yield* group
}

/** A ref by sha256 for any kind of content: a BlockStore does not verify bytes. */
export function item(text: string, kind: ContentKind = 'dag-block'): UnverifiedItem {
  const bytes = new TextEncoder().encode(text)
  const digest = createHash('sha256').update(bytes).digest()
  return { ref: { kind, hash: Uint8Array.of(0x12, 0x20, ...digest) }, bytes }
}

function account(name: string): Statement {
  return {
    sql: 'INSERT INTO account (id, name, created) VALUES (?, ?, 0)',
    parameters: [`id of ${name}`, name],
  }
}

function nothing(): Statement {
  return { sql: 'UPDATE account SET card = 1 WHERE id = ?', parameters: ['absent'] }
}
