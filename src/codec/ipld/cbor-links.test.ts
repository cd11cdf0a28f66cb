import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { Fault } from '../../base/fault.ts'
import { cborLinks } from './cbor-links.ts'
import { decodeDagCbor } from './dag-cbor.ts'
import { encodeDagCbor } from './dag-cbor-writer.ts'
import { type IpldNode, linksIn } from './ipld-node.ts'

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
const empty = CID.parse('bafyreigbtj4x7ip5legnfznufuopl4sg4knzc2cof6duas4b3q2fy6swua')
const link = `d82a582500${Buffer.from(empty.bytes).toString('hex')}`

test('links are found in blocks with values outside the data model', () => {
  for (const [what, block] of [
    ['text that is not UTF-8', `826162${link}`.replace('6162', '61ff')],
    ['a key that is not UTF-8', `a161ff${link}`],
    ['a key that is a number', `a101${link}`],
    ['a duplicate key', `a2616101${'6161'}${link}`],
    ['a number that is not finite', `82f97e00${link}`],
    ['undefined', `82f7${link}`],
    ['another tag', `82c101${link}`],
    ['another tag around a link', `c1${link}`],
    ['a number longer than it needs', `821817${link}`],
  ] as const) {
    assert.deepEqual(cborLinks(hex(block)), [empty], what)
  }
  assert.deepEqual(cborLinks(hex('a1616162ff00')), [])
  assert.deepEqual(cborLinks(hex('d82a6161')), [])
})

test('what is not one whole item, or has too much in it, is refused by name', () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /bytes missing/],
    ['0000', /bytes after the end/],
    ['9fff', /length left open/],
    ['5f4101ff', /length left open/],
    ['9bffffffffffffffff', /bytes missing/],
    ['7bffffffffffffffff', /bytes missing/],
    ['bb7fffffffffffffff', /bytes missing/],
    ['1c', /length left open/],
    ['19ff', /bytes missing/],
    ['d82a4101', /link to an invalid cid/],
    ['d82a40', /link to an invalid cid/],
    [`${'81'.repeat(1024)}00`, /more than 1024 levels/],
    [`${'c1'.repeat(1024)}00`, /more than 1024 levels/],
    [`9a000186a1${'d82a450001550000'.repeat(100_001)}`, /more than 100000 links/],
  ]
  for (const [block, message] of refused) {
    const name = block.slice(0, 40)
    assert.throws(() => cborLinks(hex(block)), { code: 'command_failed', message }, name)
  }
  assert.deepEqual(cborLinks(hex(`${'81'.repeat(1022)}${link}`)), [empty])
})

test('of every node that dag-cbor has, the links are those of the decoded node', () => {
  const { node } = fc.letrec<{ node: IpldNode }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(
        fc.constant(null),
        fc.boolean(),
        fc.bigInt({ min: -(1n << 64n), max: (1n << 64n) - 1n }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string({ unit: 'binary' }),
        fc.uint8Array(),
        fc.constant(empty),
      ),
      fc.array(tie('node'), { maxLength: 30 }),
      fc.array(fc.tuple(fc.string(), tie('node')), { maxLength: 30 }).map((all) => new Map(all)),
    ),
  }))
  fc.assert(
    fc.property(node, (value) => {
      const block = encodeDagCbor(value)
      assert.deepEqual(cborLinks(block), linksIn(decodeDagCbor(block)))
    }),
  )
})

test('hostile bytes are a fault or a list of links', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (block) => {
      try {
        cborLinks(block)
      } catch (thrown) {
        assert.ok(thrown instanceof Fault)
      }
    }),
  )
})
