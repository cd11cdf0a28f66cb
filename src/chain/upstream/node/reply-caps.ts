// How large the reply to a method can honestly be, where that is little: what an upstream sends beyond it is not worth
// reading, let alone parsing.
// Tested by src/chain/upstream/node/upstream.test.ts
import type { Params } from './json-rpc-client.ts'

const numberBytes = 64 * 1024
const headerBytes = 256 * 1024
/** Deployed code is at most 24 KiB (EIP-170) on Ethereum; some chains allow more. */
const codeBytes = 2 * 1024 * 1024

/** A page of 1,024 slots in hex is below 300 KiB, one of 256 accounts with their code below 16 MiB. */
const slotsBytes = 4 * 1024 * 1024
const accountsBytes = 16 * 1024 * 1024

const caps: ReadonlyMap<string, number> = new Map([
  ['debug_accountRange', accountsBytes],
  ['debug_getAccessibleState', numberBytes],
  ['debug_getBadBlocks', accountsBytes],
  ['debug_getModifiedAccountsByHash', accountsBytes],
  ['debug_getModifiedAccountsByNumber', accountsBytes],
  ['debug_getRawHeader', headerBytes],
  ['debug_intermediateRoots', slotsBytes],
  ['debug_printBlock', accountsBytes],
  ['debug_storageRangeAt', slotsBytes],
  ['eth_blobBaseFee', numberBytes],
  ['eth_blockNumber', numberBytes],
  ['eth_capabilities', numberBytes],
  ['eth_chainId', numberBytes],
  ['eth_gasPrice', numberBytes],
  ['eth_getBalance', numberBytes],
  ['eth_getCode', codeBytes],
  ['eth_getHeaderByHash', headerBytes],
  ['eth_getHeaderByNumber', headerBytes],
  ['eth_getStorageAt', numberBytes],
  ['eth_getTransactionCount', numberBytes],
  ['eth_maxPriorityFeePerGas', numberBytes],
  ['eth_sendRawTransaction', numberBytes],
  ['net_version', numberBytes],
  ['web3_clientVersion', numberBytes],
])

/** Of one path: 65 nodes of 532 bytes in hex, and half as much again for spaces and members. */
const pathBytes = 128 * 1024
/** Read beyond that, so that who pads a proof is caught in it. */
const paddingBytes = 3 * 1024 * 1024

/** Bytes; `most` is the operator's cap on any reply. */
export function replyBytesMaxOf(method: string, params: Params, most: number): number {
  if (method === 'eth_getProof' && !('json' in params)) {
    return Math.min(paddingBytes + pathBytes * (1 + slotsOf(params)), most)
  }
  return Math.min(caps.get(method) ?? most, most)
}

/** A path is asked for each, and one of the account. */
function slotsOf([, slots]: readonly unknown[]): number {
  return Array.isArray(slots) ? slots.length : 0
}
