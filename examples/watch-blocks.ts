// Watches new blocks with ethers while it sends three payments concurrently, and stops when all are mined.
//   CAIRN_KEY=<API_KEY> npm run -s example examples/watch-blocks.ts
import { JsonRpcProvider, NonceManager, Wallet } from 'ethers'

const url = process.env['CAIRN_URL'] ?? 'http://127.0.0.1:8545'
const key = process.env['CAIRN_KEY']
if (key === undefined) throw new Error('set CAIRN_KEY to an API key (npm start prints the first)')

// The second development account (`cairn accounts dev`). This key is public: use it on the embedded chain only.
const devKey = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'

const provider = new JsonRpcProvider(`${url}/v3/${key}`)
provider.pollingInterval = 200

// ethers reports blocks after its first poll, which ends with the reply to getBlockNumber.
let seen = 0
let onBlock = (): void => {}
await provider.on('block', (number: number) => {
  console.log(`block ${number}`)
  seen = number
  onBlock()
})
await provider.getBlockNumber()

// ethers signs here; the nonce manager assigns nonces, so that payments need not wait for each other.
const wallet = new NonceManager(new Wallet(devKey, provider))
const to = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const sent = await Promise.all([1n, 2n, 3n].map((value) => wallet.sendTransaction({ to, value })))
const receipts = await Promise.all(sent.map((transaction) => transaction.wait()))
const last = Math.max(...receipts.map((receipt) => receipt?.blockNumber ?? 0))
while (seen < last) await new Promise<void>((resolve) => (onBlock = resolve))
console.log(`mined ${receipts.filter((receipt) => receipt?.status === 1).length} payments`)
provider.destroy()
