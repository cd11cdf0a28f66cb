// An example that exists on the network: the sample contract of an embedded chain, else the timestamps of EIP-4788.
// Tested by test/browser/slots.test.ts, dashboard/slots/source.test.ts
import { callRpc, type KeyPlace } from '../app/as-key.ts'
import { embedded, timesContract, timesSlots } from '../proof/questions.ts'
import { readSource, type Source } from './source.ts'

export type Example = {
  readonly source: Source
  readonly contract: string
  readonly path: string
}

const word = { encoding: 'inplace', label: 'uint256', numberOfBytes: '32' }

/** The storage of the sample contract, as src/devchain/default-genesis.ts describes it. */
export const sampleLayout = {
  storage: [
    { label: 'number', slot: '0', offset: 0, type: 't_uint256' },
    { label: 'balances', slot: '1', offset: 0, type: 't_mapping(t_address,t_uint256)' },
  ],
  types: {
    t_address: { encoding: 'inplace', label: 'address', numberOfBytes: '20' },
    t_uint256: word,
    't_mapping(t_address,t_uint256)': {
      encoding: 'mapping',
      key: 't_address',
      label: 'mapping(address => uint256)',
      numberOfBytes: '32',
      value: 't_uint256',
    },
  },
}
const sampleCode = '0x5f545f5260205ff3'

export const timesLayout = {
  storage: [{ label: 'timestamps', slot: '0', offset: 0, type: 't_array' }],
  types: {
    t_uint256: word,
    t_array: {
      base: 't_uint256',
      encoding: 'inplace',
      label: `uint256[${timesSlots}]`,
      numberOfBytes: String(timesSlots * 32n),
    },
  },
}

/** Null: the network has neither contract. */
export async function findExample(
  place: KeyPlace,
  network: string,
  isEmbedded: boolean,
  signal: AbortSignal,
): Promise<Example | null> {
  const request = async (method: string, params: readonly unknown[]) =>
    (await callRpc(place, network, method, params, { signal })).reply.result
  const contract = isEmbedded ? embedded.contract : timesContract
  const code = await request('eth_getCode', [contract, 'latest'])
  if (isEmbedded) {
    if (code !== sampleCode) return null
    return { source: readSource(JSON.stringify(sampleLayout)), contract, path: 'number' }
  }
  const newest = (await request('eth_getBlockByNumber', ['latest', false])) as {
    timestamp?: string
  } | null
  if (typeof code !== 'string' || code === '0x' || newest?.timestamp === undefined) return null
  const path = `timestamps[${BigInt(newest.timestamp) % timesSlots}]`
  return { source: readSource(JSON.stringify(timesLayout)), contract, path }
}
