// Receives blocks over a WebSocket, with the built-in client of Node: subscribes, makes two blocks, unsubscribes.
//   CAIRN_KEY=<API_KEY> npm run -s example examples/subscribe.ts
const url = process.env['CAIRN_URL'] ?? 'http://127.0.0.1:8545'
const key = process.env['CAIRN_KEY']
if (key === undefined) throw new Error('set CAIRN_KEY to an API key (npm start prints the first)')

type Message = {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
  readonly params?: { readonly result: { readonly number: string; readonly hash: string } }
}

const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws/v3/${key}`)
const waiting = new Map<number, (message: Message) => void>()
const { promise: twoHeads, resolve: onTwoHeads } = Promise.withResolvers<void>()
let heads = 0

function call(method: string, ...params: unknown[]): Promise<unknown> {
  const id = waiting.size + 1
  socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  return new Promise((resolve, reject) => {
    waiting.set(id, ({ result, error }) => {
      if (error === undefined) resolve(result)
      else reject(new Error(error.message))
    })
  })
}

socket.addEventListener('message', ({ data }) => {
  const message = JSON.parse(String(data)) as Message
  if (message.id !== undefined) waiting.get(message.id)?.(message)
  else if (message.params !== undefined) {
    const { number, hash } = message.params.result
    console.log(`block ${Number(number)} ${hash}`)
    heads += 1
    if (heads === 2) onTwoHeads()
  }
})
socket.addEventListener('close', ({ code, reason }) => console.log(`closed ${code} ${reason}`))

await new Promise((resolve) => socket.addEventListener('open', resolve))
const subscription = await call('eth_subscribe', 'newHeads')
console.log(`subscribed ${String(subscription)}`)
// The embedded chain mines a block on request; other networks mine automatically. The event of a block may arrive
// before the reply to the call that mined it.
await call('evm_mine')
await call('evm_mine')
await twoHeads
console.log(`unsubscribed ${String(await call('eth_unsubscribe', subscription))}`)
socket.close(1000)
