// Signed transfers, and a chain of blocks that hold one each: the same transactions for every server.
import { sha256, Transaction } from 'ethers'
import * as secp from 'tiny-secp256k1'
import { devAccounts } from '../../src/ethereum/embedded/dev-accounts.ts'
import { chainId } from './genesis.ts'

export type Transfer = { readonly raw: string; readonly hash: string }

/** A block of one transaction. */
export type Place = { readonly blockHash: string; readonly transactionHash: string }

/** `senders[sender]` are to be sent in order; senders do not wait for each other. */
export function signTransfers(count: number): readonly (readonly Transfer[])[] {
  const each = Math.ceil(count / devAccounts.length)
  return devAccounts.map(({ privateKey }, sender) =>
    Array.from({ length: Math.max(0, Math.min(each, count - sender * each)) }, (_, nonce) =>
      sign(nonce, sender, Buffer.from(privateKey.slice(2), 'hex')),
    ),
  )
}

function sign(nonce: number, sender: number, key: Uint8Array): Transfer {
  const transaction = Transaction.from({
    type: 2,
    chainId,
    nonce,
    // An address that no other transfer touches, so each block changes the state trie anew.
    to: `0x${sha256(Buffer.from(`${sender} ${nonce}`)).slice(26)}`,
    value: 1n,
    gasLimit: 21_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 1n,
  })
  const digest = Buffer.from(transaction.unsignedHash.slice(2), 'hex')
  const { signature, recoveryId } = secp.signRecoverable(digest, key)
  const part = (from: number) =>
    `0x${Buffer.from(signature.subarray(from, from + 32)).toString('hex')}`
  transaction.signature = { r: part(0), s: part(32), yParity: recoveryId === 1 ? 1 : 0 }
  return { raw: transaction.serialized, hash: transaction.hash ?? '' }
}

const readsAtOnce = 64

type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>

/**
 * Sends every transfer and finds its block. `minesItself`: a block comes with each transaction; otherwise each
 * is asked for. Throws when a block holds something else than one transfer.
 */
export async function makeBlocks(
  ask: Ask,
  senders: readonly (readonly Transfer[])[],
  minesItself: boolean,
): Promise<readonly Place[]> {
  const wanted = new Set(senders.flat().map(({ hash }) => hash))
  const send = async (transfers: readonly Transfer[]) => {
    for (const { raw } of transfers) {
      await ask('eth_sendRawTransaction', [raw])
      if (!minesItself) await ask('evm_mine', [])
    }
  }
  if (minesItself) await Promise.all(senders.map(send))
  else for (const transfers of senders) await send(transfers)
  const readPlace = async (number: number): Promise<Place> => {
    const block = (await ask('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])) as {
      hash: string
      transactions: string[]
    }
    const [transactionHash = ''] = block.transactions
    if (block.transactions.length !== 1 || !wanted.has(transactionHash)) {
      throw new Error(`block ${number} does not hold one of our transactions`)
    }
    return { blockHash: block.hash, transactionHash }
  }
  const places: Place[] = []
  while (places.length < wanted.size) {
    const length = Math.min(readsAtOnce, wanted.size - places.length)
    const first = places.length + 1
    places.push(...(await Promise.all(Array.from({ length }, (_, at) => readPlace(first + at)))))
  }
  return places
}

/** JSON-RPC over HTTP for preparing. Throws on a JSON-RPC error. */
export function asker(url: string): Ask {
  return async (method, params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = (await response.json()) as { result?: unknown; error?: unknown }
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }
}
