// Genesis of the chain that an empty configuration starts: chain ID 1337, every fork up to Osaka active from the first block.
// The timestamp is fixed, so that the genesis hash is the same everywhere.
import { devAccounts, devBalance } from './dev-accounts.ts'
import { parseGenesis } from '../evm/genesis.ts'
import type { Genesis } from '../evm/genesis.ts'
import { systemContracts } from '../evm/system-contracts.ts'

/**
 * Holds 1234 in slot 0, and 5678 in the entry of 0x391694e7e0b0cce554cb130d723a9d27458f9298 of the mapping at slot 1. Returns
 * slot 0 for every call. Has nonce 1 and code: an account with only storage is empty by EIP-161 and is deleted when it is
 * first touched.
 */
const sampleContract = {
  nonce: '0x1',
  balance: '0x0',
  // PUSH0 SLOAD PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
  code: '0x5f545f5260205ff3',
  storage: {
    '0x00': '0x04d2',
    '0x6661e9d6d8b923d5bbaab1b96e1dd51ff6ea2a93520fdc9eb75d059238b8c5e9': '0x162e',
  },
}

export const sampleContractAddress = '0x295a70b2de5e3953354a6a8344e616ed314d7251'

const blobs = (target: number, max: number, baseFeeUpdateFraction: number) => ({
  target,
  max,
  baseFeeUpdateFraction,
})

export const defaultGenesis: Genesis = parseGenesis({
  config: {
    chainId: 1337,
    homesteadBlock: 0,
    eip150Block: 0,
    eip155Block: 0,
    eip158Block: 0,
    byzantiumBlock: 0,
    constantinopleBlock: 0,
    petersburgBlock: 0,
    istanbulBlock: 0,
    muirGlacierBlock: 0,
    berlinBlock: 0,
    londonBlock: 0,
    arrowGlacierBlock: 0,
    grayGlacierBlock: 0,
    mergeNetsplitBlock: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    pragueTime: 0,
    osakaTime: 0,
    terminalTotalDifficulty: 0,
    depositContractAddress: '0x0000000000000000000000000000000000000000',
    blobSchedule: {
      cancun: blobs(3, 6, 3338477),
      prague: blobs(6, 9, 5007716),
      osaka: blobs(6, 9, 5007716),
    },
  },
  timestamp: '0x6553f100',
  gasLimit: '0x3938700',
  extraData: '0x636169726e',
  alloc: {
    ...Object.fromEntries(
      devAccounts.map(({ address }) => [address, { balance: `0x${devBalance.toString(16)}` }]),
    ),
    ...Object.fromEntries(
      systemContracts.map(({ address, code }) => [address, { nonce: '0x1', balance: '0x0', code }]),
    ),
    [sampleContractAddress]: sampleContract,
  },
})
