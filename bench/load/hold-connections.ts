// Process that holds many connections open. Arguments: port, path, count. It sends one call on each, prints the number of results,
// and repeats this for every line of its standard input.
import { openLane, type Lane } from './lane.ts'
import type { Reply } from './splitter.ts'

const [port = '', path = '', count = ''] = process.argv.slice(2)
const body =
  '{"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0x295a70b2de5e3953354a6a8344e616ed314d7251","0x0","latest"]}'
const good = `{"jsonrpc":"2.0","id":1,"result":"0x${'04d2'.padStart(64, '0')}"}`
const request =
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${body.length}\r\n\r\n${body}`

let answered = 0
let settled = 0
let finish = () => {}
const lanes: Lane[] = []

function settle(outcome: Reply | Error): void {
  if (!(outcome instanceof Error) && outcome.status === 200 && outcome.body === good) answered += 1
  settled += 1
  if (settled === lanes.length) finish()
}

async function sendAll(): Promise<void> {
  answered = 0
  settled = 0
  const finished = new Promise<void>((resolve) => (finish = resolve))
  for (const lane of lanes) lane.send(request)
  await finished
  process.stdout.write(`${answered}\n`)
}

for (let at = 0; at < Number(count); at++) lanes.push(await openLane(Number(port), settle))
await sendAll()
process.stdin.on('data', () => void sendAll())
process.stdin.on('end', () => {
  for (const lane of lanes) lane.close()
})
