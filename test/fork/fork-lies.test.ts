// Upstreams of a fork that falsify the state of the forked block: no wrong value is read or written, the error names the value, and
// an honest reply is used afterwards.
import { equal, match, rejects } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { type Geth, missingGeth } from '../engines/geth.ts'
import { word } from '../fakes/storage-contract.ts'
import { until } from '../fakes/until.ts'
import { chain, hasher, proxied, startFork, startForkedGeth, store } from './forked-chain.ts'

const skip = missingGeth()
const sender = devAccounts[0]?.address as `0x${string}`
const slot = (index: number): `0x${string}` => `0x${word(index)}`

let geth: Geth
const ends: (() => unknown)[] = []
before(async () => {
  if (skip === false) geth = await startForkedGeth({ after: (end) => void ends.push(end) })
})
after(async () => {
  for (const end of ends) await end()
})

type Proof = {
  readonly accountProof: readonly string[]
  readonly storageProof: readonly {
    readonly key: string
    readonly value: string
    readonly proof: readonly string[]
  }[]
}

/** The node with its last nibble changed. */
const bent = (node: string): string => node.slice(0, -1) + (node.endsWith('0') ? '1' : '0')

function changeStorage(
  proof: Proof,
  change: (nodes: readonly string[]) => readonly string[],
): Proof {
  return {
    ...proof,
    storageProof: proof.storageProof.map((one) => ({ ...one, proof: change(one.proof) })),
  }
}

const lies: readonly (readonly [
  what: string,
  method: string,
  lie: (result: unknown) => unknown,
])[] = [
  [
    'a node with another value',
    'eth_getProof',
    (result) =>
      changeStorage(result as Proof, (nodes) => [...nodes.slice(0, -1), bent(nodes.at(-1) ?? '')]),
  ],
  [
    'a path without its last node',
    'eth_getProof',
    (result) => changeStorage(result as Proof, (nodes) => nodes.slice(0, -1)),
  ],
  ['no path at all', 'eth_getProof', (result) => changeStorage(result as Proof, () => [])],
  ['other code', 'eth_getCode', (result) => bent(String(result))],
]

for (const [what, method, lie] of lies) {
  test(`${what} fails the read and the transaction, and changes nothing`, { skip }, async (t) => {
    const forked = await proxied(t, geth)
    const { node } = forked
    const fork = await startFork(t, forked)
    const { reader, wallet } = fork
    const number = await reader.getBlockNumber()
    node.change = (call, reply) =>
      call.method === method && reply.result !== undefined ? { result: lie(reply.result) } : reply
    const isCode = method === 'eth_getCode'
    const to = isCode ? hasher : store
    const named = isCode
      ? /the code of account 0x7272/
      : /slot 0x0{61}[0-9a-f]{3} of account 0x7676/

    await rejects(reader.call({ to, data: slot(700) }), named)
    await rejects(
      wallet.sendTransaction({
        account: sender,
        to,
        gas: 200_000n,
        data: `0x${word(701)}${word(9)}`,
        chain,
      }),
      named,
    )
    await rejects(
      isCode
        ? reader.getCode({ address: hasher })
        : reader.getStorageAt({ address: store, slot: slot(702) }),
    )
    equal(await reader.getBlockNumber(), number)

    node.change = (_, reply) => reply
    const answered = async () => (await reader.call({ to, data: slot(isCode ? 2 : 700) })).data
    const expected = isCode ? (await reader.getBlock({ blockNumber: 2n })).hash : slot(701)
    // After an invalid reply, the upstream gets no requests for a while.
    await until(async () => equal(await answered(), expected), 60_000)
  })
}

test('invalid replies are logged with the upstream that sent them', { skip }, async (t) => {
  const forked = await proxied(t, geth)
  const fork = await startFork(t, forked)
  forked.node.change = (call, reply) =>
    call.method === 'eth_getProof' && reply.result !== undefined
      ? { result: lies[0]?.[2](reply.result) }
      : reply
  await rejects(fork.reader.call({ to: store, data: slot(800) }))
  const config = ['--config', `${fork.dataDir}/cairn.yaml`]
  const shown = await fork.cli('upstreams', '--lies', '10', ...config)
  match(JSON.stringify(shown['lies']), /"upstream":"node".*"method":"eth_getProof"/)
})
