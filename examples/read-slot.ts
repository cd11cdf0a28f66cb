// Reads one storage slot with fetch alone, and prints the verification level and the block of the answer.
//   CAIRN_KEY=<API_KEY> npm run -s example examples/read-slot.ts [address] [slot] [block]

const url = process.env['CAIRN_URL'] ?? 'http://127.0.0.1:8545'
const key = process.env['CAIRN_KEY']
if (key === undefined) throw new Error('set CAIRN_KEY to an API key (npm start prints the first)')

// The contract of the documented example: slot 0 holds 1234.
const sample = '0x295a70b2de5e3953354a6a8344e616ed314d7251'
const [address = sample, slot = '0x0', block = 'latest'] = process.argv.slice(2)

const call = { jsonrpc: '2.0', id: 1, method: 'eth_getStorageAt', params: [address, slot, block] }
const reply = await fetch(`${url}/v3/${key}`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(call),
})
const { result, error } = (await reply.json()) as {
  result?: string
  error?: { message: string }
}
if (result === undefined) throw new Error(error?.message ?? `status ${reply.status}`)

console.log(`value     ${result} (${BigInt(result)})`)
console.log(`verified  ${reply.headers.get('x-cairn-verified')}`)
console.log(`block     ${reply.headers.get('x-cairn-block')}`)
