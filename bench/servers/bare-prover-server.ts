// Floor of a cold `eth_call`: the requests that Cairn sends to its upstream, a hash of each node of the proofs, and the EVM of the
// same library on the values. No keys, limits, walks along the proofs or stored content. Arguments: URL of the upstream.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import {
  bytesToHex,
  createAccount,
  createAddressFromString,
  hexToBytes,
  setLengthLeft,
} from '@ethereumjs/util'
import { Pool } from 'undici'
import { keccak256 } from '../../src/codec/hash/keccak.ts'

type Hex = `0x${string}`
type Call = { readonly to: Hex; readonly data: Hex }
type Proof = {
  readonly address: Hex
  readonly nonce: Hex
  readonly balance: Hex
  readonly codeHash: Hex
  readonly storageHash: Hex
  readonly accountProof: readonly Hex[]
  readonly storageProof: readonly {
    readonly key: Hex
    readonly value: Hex
    readonly proof: readonly Hex[]
  }[]
}
type AccessList = readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[]

const upstream = new Pool(process.argv[2] ?? '', { connections: 64 })
const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague })
const zeroAddress = `0x${'0'.repeat(40)}`
const gasLimit = 50_000_000n

async function query<Result>(method: string, ...params: readonly unknown[]): Promise<Result> {
  const { body } = await upstream.request({
    path: '/',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result } = (await body.json()) as { readonly result: Result }
  return result
}

async function answer({ to, data }: Call): Promise<Hex> {
  const overrides = { [zeroAddress]: { balance: `0x${'f'.repeat(24)}` } }
  const proofOf = (address: Hex, keys: readonly Hex[]) =>
    query<Proof>('eth_getProof', address, keys, 'latest')
  const codeOf = (address: Hex) => query<Hex>('eth_getCode', address, 'latest')
  const [{ accessList }, ownProof, ownCode] = await Promise.all([
    query<{ readonly accessList: AccessList }>(
      'eth_createAccessList',
      { to, data },
      'latest',
      overrides,
    ),
    proofOf(to, []),
    codeOf(to),
  ])
  const others = accessList.filter(({ address }) => address !== to)
  const [proofs, codes] = await Promise.all([
    Promise.all(accessList.map(({ address, storageKeys }) => proofOf(address, storageKeys))),
    Promise.all(others.map(async ({ address }) => [address, await codeOf(address)] as const)),
  ])
  const codeByAddress = new Map<string, Hex>([[to, ownCode], ...codes])
  const all = [ownProof, ...proofs]
  const nodes = all.flatMap(({ accountProof, storageProof }) => [
    ...accountProof,
    ...storageProof.flatMap(({ proof }) => proof),
  ])
  for (const node of new Set(nodes)) keccak256(hexToBytes(node))
  return await run({ to, data }, all, codeByAddress)
}

async function run(
  { to, data }: Call,
  proofs: readonly Proof[],
  codes: ReadonlyMap<string, Hex>,
): Promise<Hex> {
  const stateManager = new SimpleStateManager({ common })
  for (const { address, nonce, balance, storageProof } of proofs) {
    const place = createAddressFromString(address)
    const account = createAccount({ nonce: BigInt(nonce), balance: BigInt(balance) })
    await stateManager.putAccount(place, account)
    const code = codes.get(address)
    if (code !== undefined) await stateManager.putCode(place, hexToBytes(code))
    for (const { key, value } of storageProof) {
      const word = setLengthLeft(
        hexToBytes(value.length % 2 === 0 ? value : `0x0${value.slice(2)}`),
        32,
      )
      await stateManager.putStorage(place, setLengthLeft(hexToBytes(key), 32), word)
    }
  }
  const evm = await createEVM({ common, stateManager })
  const { execResult } = await evm.runCall({
    to: createAddressFromString(to),
    data: hexToBytes(data),
    gasLimit,
  })
  return bytesToHex(execResult.returnValue)
}

async function serve(request: IncomingMessage): Promise<string> {
  const { params } = JSON.parse(await text(request)) as { readonly params: readonly [Call] }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, result: await answer(params[0]) })
}

const server = createServer((request, response) => {
  void serve(request)
    .catch((error: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, error: String(error) }))
    .then((reply) => response.end(reply))
})
server.keepAliveTimeout = 75_000
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
