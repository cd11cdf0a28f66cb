// Storage slots according to solc: compares the layout reader with the getters of a compiled contract. The contract and its layout
// are the output of solc (test/fakes/files/kept-contract.json contains the source and the version).
import { deepEqual, equal, throws } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { Contract, ContractFactory, JsonRpcProvider, type InterfaceAbi, Wallet } from 'ethers'
import { findAbi, getterCall, describeWord } from '../src/codec/ethereum/getter.ts'
import { parseStorageLayout } from '../src/codec/ethereum/storage-layout.ts'
import { placeOf } from '../src/codec/ethereum/storage-path.ts'
import { readStored, type StoredValue } from '../src/codec/ethereum/stored-value.ts'
import { devAccounts } from '../src/devchain/dev-accounts.ts'
import { type Started, startCairn } from './started-server.ts'

const kept = JSON.parse(
  readFileSync(new URL('fakes/files/kept-contract.json', import.meta.url), 'utf8'),
) as { abi: InterfaceAbi; bytecode: string; storageLayout: unknown }
const layout = parseStorageLayout(kept)
const owner = '0x391694e7E0B0cCE554cb130d723A9d27458F9298'

let cairn: Started
let contract: Contract
let address: string
let provider: JsonRpcProvider

before(async () => {
  cairn = await startCairn()
  provider = new JsonRpcProvider(`${cairn.url}/v3/${cairn.apiKey}`)
  const wallet = new Wallet(devAccounts[0]?.privateKey ?? '', provider)
  const deployed = await new ContractFactory(kept.abi, kept.bytecode, wallet).deploy()
  await deployed.waitForDeployment()
  address = await deployed.getAddress()
  contract = new Contract(address, kept.abi, provider)
})
after(async () => {
  provider.destroy()
  await cairn.stop()
})

async function stored(path: string): Promise<StoredValue> {
  const { value, cut } = await readStored(layout, placeOf(layout, path), async (slots) => {
    const words = await Promise.all(slots.map((slot) => provider.getStorage(address, slot)))
    return words.map((text) => Uint8Array.from(Buffer.from(text.slice(2), 'hex')))
  })
  equal(cut, false)
  return value
}

/** Path -> the getter that returns the same value, with its arguments. */
const pairs: readonly (readonly [path: string, getter: string, ...args: unknown[]])[] = [
  ['owner', 'owner'],
  ['paused', 'paused'],
  ['since', 'since'],
  ['total', 'total'],
  [`balances[${owner}]`, 'balances', owner],
  [
    'balances[0x0000000000000000000000000000000000000001]',
    'balances',
    `0x${'1'.padStart(40, '0')}`,
  ],
  [
    'balances[0x0000000000000000000000000000000000000009]',
    'balances',
    `0x${'9'.padStart(40, '0')}`,
  ],
  [
    `allowance[${owner}][0x0000000000000000000000000000000000000002]`,
    'allowance',
    owner,
    `0x${'2'.padStart(40, '0')}`,
  ],
  ['name', 'name'],
  ['motto', 'motto'],
  ['blob', 'blob'],
  ['selector', 'selector'],
  ['root', 'root'],
  ['low', 'low'],
  ['colour', 'colour'],
  ['small[4]', 'small', 4],
  ['list[2]', 'list', 2],
  ['packed[12]', 'packed', 12],
  ['points[0].x', 'points', 0],
  ['named["home"].x', 'named', 'home'],
  [`rows[0x${'1'.padStart(64, '0')}][2]`, 'rows', `0x${'1'.padStart(64, '0')}`, 2],
  ['flags[true]', 'flags', true],
  ['signed[-3]', 'signed', -3],
  ['grid[1][1]', 'grid', 1, 1],
]

test('the value at a path equals the result of the getter', async () => {
  for (const [path, getter, ...args] of pairs) {
    const value: unknown = await contract.getFunction(getter)(...args)
    const first = typeof value === 'object' ? (value as readonly unknown[])[0] : value
    const mine = await stored(path)
    const spelled = typeof first === 'bigint' ? first.toString() : first
    equal(
      typeof mine === 'string' ? mine.toLowerCase() : mine,
      typeof spelled === 'string' ? spelled.toLowerCase() : spelled,
      path,
    )
  }
})

test('structs, lists and nested lists are decoded completely, and a user-defined type in both forms', async () => {
  deepEqual(await stored('points'), [
    { x: '-1', y: '2', set: true },
    { x: '3', y: '-4', set: false },
  ])
  deepEqual(await stored('order'), {
    maker: owner.toLowerCase(),
    amount: (2n ** 90n).toString(),
    at: { x: '7', y: '8', set: true },
    note: '0x6e6f7465',
    parts: ['5', '6'],
    seen: null,
  })
  deepEqual(await stored('small'), ['1', '2', '3', '4', '255'])
  deepEqual(
    await stored('packed'),
    Array.from({ length: 13 }, (_, index) => String(index * 1000)),
  )
  deepEqual(await stored('grid'), [
    ['1', '2'],
    ['3', '4'],
  ])
  equal(await stored('list.length'), '3')
  equal(await stored('order.seen[9]'), true)
  equal(await stored('price'), '99 (0x00000000000000000000000000000063)')
})

test('with an ABI alone, the slot of a getter is the slot that it reads and whose value it returns', async () => {
  const abi = findAbi(kept) ?? []
  const paths = ['total', 'root', `balances[${owner}]`, 'list[1]', 'flags[true]', 'signed[-3]']
  for (const path of paths) {
    const { data, output } = getterCall(abi, path)
    const answer = await provider.call({ to: address, data })
    const list = (await provider.send('eth_createAccessList', [
      { from: devAccounts[0]?.address, to: address, data },
      'latest',
    ])) as {
      accessList: readonly { storageKeys: readonly string[] }[]
    }
    const slots = list.accessList.flatMap(({ storageKeys }) => storageKeys)
    const held = await Promise.all(slots.map((slot) => provider.getStorage(address, slot)))
    const slot = slots[held.indexOf(answer)]
    equal(BigInt(slot ?? 0), placeOf(layout, path).slot, path)
    equal(describeWord(output, Buffer.from(answer.slice(2), 'hex')), await stored(path), path)
  }
  throws(() => getterCall(abi, 'nothing'), /no getter nothing/)
  throws(() => getterCall(abi, 'name'), /expected a single value of one word/)
  throws(() => getterCall(abi, 'order.at'), /members need a storage layout/)
  throws(() => getterCall(abi, 'balances[5]'), /expected a key of type address/)
})
