// Signed transfers, and blocks with one transfer of each sender. Every server gets the same transactions.
import { sha256, Transaction } from 'ethers'
import * as secp from 'tiny-secp256k1'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import { chainId } from './genesis.ts'

export type Transfer = { readonly raw: string; readonly hash: string }

/** Position of a transaction: block hash and index from 0. */
export type TransactionPosition = {
  readonly blockHash: string
  readonly index: number
  readonly transactionHash: string
}

/** The transfers of a sender must be sent in order; senders are independent. */
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
    // An address that no other transfer uses, so that each block changes the state trie.
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

type RpcCaller = (method: string, params: readonly unknown[]) => Promise<unknown>

/**
 * Mines a block with the first transfer of each sender, one with the second transfers, and so on. Returns the position of each,
 * because servers order senders differently. Requires a server that mines only on request. Throws if a block contains other
 * transactions.
 */
export async function makeBlocks(
  call: RpcCaller,
  senders: readonly (readonly Transfer[])[],
): Promise<readonly TransactionPosition[]> {
  const positions: TransactionPosition[] = []
  for (let nonce = 0; nonce < (senders[0]?.length ?? 0); nonce++) {
    const transfers = senders.flatMap((lane) => lane[nonce] ?? [])
    await Promise.all(transfers.map(({ raw }) => call('eth_sendRawTransaction', [raw])))
    await call('evm_mine', [])
    const block = (await call('eth_getBlockByNumber', ['latest', false])) as {
      hash: string
      transactions: readonly string[]
    }
    const wanted = new Set(transfers.map(({ hash }) => hash))
    const found = block.transactions.filter((hash) => wanted.delete(hash))
    if (wanted.size > 0 || found.length !== block.transactions.length) {
      throw new Error(`block ${nonce + 1} does not hold the transfers sent for it`)
    }
    for (const [index, transactionHash] of found.entries()) {
      positions.push({ blockHash: block.hash, index, transactionHash })
    }
  }
  return positions
}

/** JSON-RPC over HTTP for setup. Throws on a JSON-RPC error. */
export function createRpcCaller(url: string): RpcCaller {
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
