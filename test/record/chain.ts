// Records a chain that geth builds block by block, from Paris to the second blob-parameter fork, and geth's replies about it.
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromRlp, type Hex, toRlp } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { systemContracts } from '../../src/evm/system-contracts.ts'
import { recordedChain } from '../fakes/chain-facts.ts'
import { chainRequests } from './chain-requests.ts'
import { type Geth, startGeth } from './geth.ts'

const { chainId, emitter, feeRecipient, reverter, stored, blocks, secondsPerBlock, forks } =
  recordedChain
const [sender, other, delegating] = devAccounts.map(({ privateKey }) =>
  privateKeyToAccount(privateKey as Hex),
)
const nonces = new Map<Hex, number>()

export type RecordedBlock = { readonly hash: Hex; readonly transactions: readonly Hex[] }

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
const at = (block: number) => block * secondsPerBlock
const blobs = (target: number, max: number, baseFeeUpdateFraction: number) => ({
  target,
  max,
  baseFeeUpdateFraction,
})
const genesis = {
  config: {
    chainId,
    ...Object.fromEntries(
      [
        'homestead',
        'eip150',
        'eip155',
        'eip158',
        'byzantium',
        'constantinople',
        'petersburg',
        'istanbul',
        'muirGlacier',
        'berlin',
        'london',
        'arrowGlacier',
        'grayGlacier',
        'mergeNetsplit',
      ].map((fork) => [`${fork}Block`, 0]),
    ),
    shanghaiTime: at(forks.shanghai),
    cancunTime: at(forks.cancun),
    pragueTime: at(forks.prague),
    osakaTime: at(forks.osaka),
    bpo1Time: at(forks.bpo1),
    bpo2Time: at(forks.bpo2),
    terminalTotalDifficulty: 0,
    depositContractAddress: `0x${'0'.repeat(40)}`,
    // EIP-7840, with the values of mainnet.
    blobSchedule: {
      cancun: blobs(3, 6, 3_338_477),
      prague: blobs(6, 9, 5_007_716),
      osaka: blobs(6, 9, 5_007_716),
      bpo1: blobs(10, 15, 8_346_193),
      bpo2: blobs(14, 21, 11_684_671),
    },
  },
  timestamp: '0x0',
  gasLimit: '0x1c9c380',
  difficulty: '0x0',
  baseFeePerGas: '0x3b9aca00',
  alloc: {
    ...Object.fromEntries(
      devAccounts.slice(0, 6).map(({ address }) => [address, { balance: '0x21e19e0c9bab2400000' }]),
    ),
    ...Object.fromEntries(
      systemContracts.map(({ address, code }) => [address, { balance: '0x0', nonce: '0x1', code }]),
    ),
    [emitter]: {
      balance: '0x1',
      nonce: '0x1',
      code: recordedChain.emitterCode,
      storage: { [`0x${'0'.repeat(64)}`]: `0x${'0'.repeat(62)}02` },
    },
    [reverter]: { balance: '0x0', nonce: '0x1', code: recordedChain.reverterCode },
    [stored]: {
      balance: '0x1',
      nonce: '0x1',
      storage: Object.fromEntries([1, 2, 3].map((value) => [word(value), word(value)])),
    },
  },
}

/** Writes `genesis.json`, `chain.rlp` and one `.io` file for each request below `folder`. Resolves with geth's version. */
export async function recordChain(program: string, folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const text = `${JSON.stringify(genesis, null, 2)}\n`
  writeFileSync(join(folder, 'genesis.json'), text)
  const geth = await startGeth(program, text)
  try {
    const made: RecordedBlock[] = []
    for (let number = 1; number <= blocks; number += 1) made.push(await makeBlock(geth, number))
    const raws: Uint8Array[] = []
    for (let number = 1; number <= blocks; number += 1) {
      const raw = await geth.call('debug_getRawBlock', [`0x${number.toString(16)}`])
      raws.push(Buffer.from(String(raw).slice(2), 'hex'))
    }
    writeFileSync(join(folder, 'chain.rlp'), Buffer.concat(raws))
    const pool = await poolTransactions()
    for (const { method, name, params } of chainRequests(made, pool)) {
      const request = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        ...(params === undefined ? {} : { params }),
      })
      const reply = (await geth.send(request)).trim()
      mkdirSync(join(folder, method), { recursive: true })
      writeFileSync(join(folder, method, `${name}.io`), `>> ${request}\n<< ${reply}\n`)
    }
    return geth.version
  } finally {
    await geth.stop()
  }
}

/** Lets geth build a block of the transactions of `transactionsOf`, and makes it the head. */
async function makeBlock(geth: Geth, number: number): Promise<RecordedBlock> {
  const sent: Hex[] = []
  for (const raw of await transactionsOf(number)) {
    sent.push((await geth.call('eth_sendRawTransaction', [raw])) as Hex)
  }
  const parent = (await geth.call('eth_getBlockByNumber', ['latest', false])) as { hash: Hex }
  const head = {
    headBlockHash: parent.hash,
    safeBlockHash: parent.hash,
    finalizedBlockHash: parent.hash,
  }
  const [since, beaconRoot] = [number >= forks.cancun, `0x${number.toString(16).padStart(64, '0')}`]
  const fork = since ? 3 : number >= forks.shanghai ? 2 : 1
  const attributes = {
    timestamp: `0x${at(number).toString(16)}`,
    prevRandao: `0x${(number * 7).toString(16).padStart(64, '0')}`,
    suggestedFeeRecipient: feeRecipient,
    ...(fork < 2
      ? {}
      : {
          withdrawals: [
            {
              index: `0x${number.toString(16)}`,
              validatorIndex: '0x5',
              address: `0x${'ee'.repeat(20)}`,
              amount: '0x64',
            },
          ],
        }),
    ...(since ? { parentBeaconBlockRoot: beaconRoot } : {}),
  }
  const version = number >= forks.osaka ? 5 : number >= forks.prague ? 4 : fork
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    const started = (await geth.engine(`engine_forkchoiceUpdatedV${fork}`, [head, attributes])) as {
      payloadId: string
    }
    // geth starts with an empty block and fills it in the background.
    await sleep(100 * attempt)
    const got = (await geth.engine(`engine_getPayloadV${version}`, [started.payloadId])) as Record<
      string,
      unknown
    >
    const payload = (version === 1 ? got : got['executionPayload']) as {
      blockHash: Hex
      transactions: Hex[]
    }
    if (payload.transactions.length < sent.length) continue
    const hashes = number >= forks.cancun ? [blobHashesIn(payload.transactions), beaconRoot] : []
    const requests = number >= forks.prague ? [got['executionRequests']] : []
    const state = (await geth.engine(`engine_newPayloadV${Math.min(version, 4)}`, [
      payload,
      ...hashes,
      ...requests,
    ])) as { status: string }
    if (state.status !== 'VALID') throw new Error(`block ${number}: ${JSON.stringify(state)}`)
    const { blockHash } = payload
    await geth.engine(`engine_forkchoiceUpdatedV${fork}`, [
      { headBlockHash: blockHash, safeBlockHash: blockHash, finalizedBlockHash: blockHash },
      null,
    ])
    return { hash: blockHash, transactions: sent }
  }
  throw new Error(`block ${number} stayed without its transactions`)
}

function nextNonce(account: { address: Hex }): number {
  const nonce = nonces.get(account.address) ?? 0
  nonces.set(account.address, nonce + 1)
  return nonce
}

const gwei = 1_000_000_000n
const fees = { maxFeePerGas: 20n * gwei, maxPriorityFeePerGas: gwei, chainId }
const blobHash = `0x01${createHash('sha256')
  .update(Buffer.from(`c0${'00'.repeat(47)}`, 'hex'))
  .digest('hex')
  .slice(2)}` as Hex

/** Signed transactions of one block: every type that its fork has, calls with logs, failures and creations. */
async function transactionsOf(number: number): Promise<readonly Hex[]> {
  if (sender === undefined || other === undefined || delegating === undefined)
    throw new TypeError('no accounts')
  const call = { to: emitter as Hex, gas: 200_000n, data: '0x' as Hex }
  const made: Hex[] = [
    await sender.signTransaction({
      ...call,
      type: 'legacy',
      gasPrice: 20n * gwei,
      chainId,
      nonce: nextNonce(sender),
    }),
    await sender.signTransaction({ ...call, ...fees, type: 'eip1559', nonce: nextNonce(sender) }),
  ]
  if (number % 5 === 0) {
    const accessList = [{ address: emitter as Hex, storageKeys: [`0x${'0'.repeat(64)}` as Hex] }]
    made.push(
      await sender.signTransaction({
        ...call,
        type: 'eip2930',
        gasPrice: 20n * gwei,
        chainId,
        accessList,
        nonce: nextNonce(sender),
      }),
    )
    made.push(
      await sender.signTransaction({
        to: reverter as Hex,
        gas: 60_000n,
        ...fees,
        type: 'eip1559',
        nonce: nextNonce(sender),
      }),
    )
  }
  if (number % 7 === 1) {
    made.push(
      await sender.signTransaction({
        data: '0x600a600c600039600a6000f3602a60005260206000f3',
        gas: 120_000n,
        type: 'legacy',
        gasPrice: 20n * gwei,
        chainId,
        nonce: nextNonce(sender),
      }),
    )
  }
  // geth 1.17 accepts blobs only with cell proofs (EIP-7594).
  if (number > forks.osaka && number % 3 === 0) {
    const signed = await other.signTransaction({
      to: emitter as Hex,
      gas: 200_000n,
      value: 3n,
      ...fees,
      type: 'eip4844',
      blobVersionedHashes: [blobHash],
      maxFeePerBlobGas: 131_072n,
      nonce: nextNonce(other),
    } as never)
    made.push(withBlob(signed))
  }
  if (number > forks.prague && number % 4 === 2) {
    const authorization = await delegating.signAuthorization({
      contractAddress: emitter as Hex,
      chainId,
      nonce: nextNonce(delegating),
    })
    made.push(
      await sender.signTransaction({
        to: delegating.address,
        gas: 300_000n,
        ...fees,
        type: 'eip7702',
        authorizationList: [authorization],
        nonce: nextNonce(sender),
      }),
    )
  }
  return made
}

/** EIP-4844 and EIP-7594: the transaction with a blob of zeros, whose commitment and proofs are the point at infinity. */
function withBlob(signed: Hex): Hex {
  const infinity = `0xc0${'00'.repeat(47)}` as const
  const blob = `0x${'00'.repeat(131_072)}` as const
  const body = fromRlp(`0x${signed.slice(4)}`, 'hex')
  const proofs = Array.from({ length: 128 }, () => infinity)
  return `0x03${toRlp([body, '0x01', [blob], [infinity], proofs]).slice(2)}`
}

/** For the pool at the end: one that can run, one after a nonce gap. */
async function poolTransactions(): Promise<readonly Hex[]> {
  const account = privateKeyToAccount(devAccounts[4]?.privateKey as Hex)
  const simple = { to: emitter as Hex, gas: 100_000n, ...fees, type: 'eip1559' } as const
  return [
    await account.signTransaction({ ...simple, nonce: 0 }),
    await account.signTransaction({ ...simple, nonce: 2 }),
  ]
}

function blobHashesIn(transactions: readonly Hex[]): Hex[] {
  return transactions.filter((raw) => raw.startsWith('0x03')).map(() => blobHash)
}
