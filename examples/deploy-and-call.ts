// Deploys a counter with viem, increments it twice, and reads it by a call and directly from its storage slot.
//   CAIRN_KEY=<API_KEY> npm run -s example examples/deploy-and-call.ts
import { createPublicClient, createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { localhost } from 'viem/chains'

const url = process.env['CAIRN_URL'] ?? 'http://127.0.0.1:8545'
const key = process.env['CAIRN_KEY']
if (key === undefined) throw new Error('set CAIRN_KEY to an API key (npm start prints the first)')

// The first development account (`cairn accounts dev`). This key is public: use it on the embedded chain only.
const devKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

// The embedded chain has the chain ID of viem's `localhost`, 1337.
const transport = http(`${url}/v3/${key}`)
const account = privateKeyToAccount(devKey)
const client = createPublicClient({ chain: localhost, transport })
const wallet = createWalletClient({ account, chain: localhost, transport })

// Without calldata: answers slot 0. With calldata: adds 1 to slot 0.
//   CALLDATASIZE PUSH1 0c JUMPI | PUSH0 SLOAD PUSH0 MSTORE PUSH1 20 PUSH0 RETURN | JUMPDEST PUSH0 SLOAD PUSH1 1 ADD
//   PUSH0 SSTORE STOP
const runtime = '36600c575f545f5260205ff35b5f546001015f5500'
// Copies the code after its own ten bytes into memory and returns it.
const bytecode = `0x60${(runtime.length / 2).toString(16)}80600a5f395ff3fe${runtime}` as const

const deployed = await wallet.deployContract({ abi: [], bytecode })
const { contractAddress: address } = await client.waitForTransactionReceipt({ hash: deployed })
if (!address) throw new Error('nothing was deployed')
console.log(`deployed ${address}`)

for (const data of ['0x01', '0x01'] as const) {
  const hash = await wallet.sendTransaction({ to: address, data })
  const { status, blockNumber } = await client.waitForTransactionReceipt({ hash })
  console.log(`raised in block ${blockNumber}: ${status}`)
}

const { data: called } = await client.call({ to: address })
const stored = await client.getStorageAt({ address, slot: '0x0' })
console.log(`by call ${BigInt(called ?? '0x')}, in storage ${BigInt(stored ?? '0x')}`)
