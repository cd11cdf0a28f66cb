import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '../../../test/fakes/manual-clock.ts'
import { Fault } from '../../base/fault.ts'
import { createSenderCache } from '../../chain/sender-cache.ts'
import { createRpcOperations } from '../methods/index.ts'
import { type RpcCall, runOperation } from '../operation.ts'
import { openRpc } from './open-rpc.ts'

const operations = createRpcOperations({
  clientVersion: 'Cairn/v1.2.3/test',
  clock: createManualClock(),
  findSender: createSenderCache(10).find,
})

type Method = {
  readonly name: string
  readonly params: readonly { readonly name: string; readonly required: boolean }[]
  readonly errors: readonly unknown[]
  readonly 'x-cairn-units': number
}

const document = openRpc(operations.values(), '1.2.3') as {
  readonly openrpc: string
  readonly methods: readonly Method[]
  readonly components: { readonly schemas: object; readonly errors: object }
}

/** The message with which the operation refuses these params; null: it accepts them. */
function refusal(name: string, params: readonly unknown[]): string | null {
  try {
    operations.get(name)?.parse(params)
    return null
  } catch (thrown) {
    return Fault.from(thrown).message
  }
}

test('the document lists the operations of the table and no other, each with its price', () => {
  const listed = document.methods.map(({ name }) => name)
  assert.deepEqual(listed, [...operations.keys()].toSorted())
  for (const { name, ...rest } of document.methods) {
    assert.equal(rest['x-cairn-units'], operations.get(name)?.units, name)
  }
})

for (const [name, { params }] of operations) {
  // Its parameters depend on the name of the subscription.
  if (name === 'eth_subscribe') continue
  test(`the signature of ${name} is what the operation takes`, () => {
    const examples = params.map(({ type }) => type.example)
    const needed = params.filter(({ required }) => required).length
    assert.equal(refusal(name, examples), null)
    assert.equal(refusal(name, examples.slice(0, needed)), null)
    if (needed > 0) {
      const missing = `missing value for required argument ${needed - 1}`
      assert.equal(refusal(name, examples.slice(0, needed - 1)), missing)
    }
    const most = `too many arguments, want at most ${params.length}`
    assert.equal(refusal(name, [...examples, 'one more']), most)
  })
}

test('required parameters stand before the others, and their names differ', () => {
  for (const { name, params } of document.methods) {
    const order = params.map(({ required }) => required)
    assert.deepEqual(
      order,
      order.toSorted((a, b) => Number(b) - Number(a)),
      name,
    )
    assert.equal(new Set(params.map((param) => param.name)).size, params.length, name)
  }
})

test('every reference leads into the document', () => {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)]
  assert.ok(refs.length > 100)
  const { components } = document as unknown as {
    components: Record<string, Record<string, unknown>>
  }
  for (const [, kind = '', name = ''] of refs)
    assert.ok(components[kind]?.[name], `${kind}/${name}`)
  assert.match(document.openrpc, /^1\.3\.\d$/)
})

test('rpc.discover answers the same document', async () => {
  const discover = operations.get('rpc.discover')
  assert.ok(discover)
  assert.deepEqual(await runOperation(discover, null, {} as RpcCall), document)
})
