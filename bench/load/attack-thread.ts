// Entry of the thread that acts as hostile tenants: each lane has its own connection and sends each request after the reply to the
// previous one, until the thread receives a stop message.
import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

export type AttackRequest = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** A lane sends its requests in rotation. */
export type AttackOrder = { readonly lanes: readonly (readonly AttackRequest[])[] }
/** Replies by status; 0: the connection failed. */
export type AttackAnswer = { readonly replies: Readonly<Record<number, number>> }

let isGoing = true
const replies: Record<number, number> = {}

async function attack({ lanes }: AttackOrder): Promise<void> {
  await Promise.all(lanes.map(runLane))
}

async function runLane(requests: readonly AttackRequest[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let sent = 0; isGoing; sent++) {
    const next = requests[sent % requests.length]
    if (next === undefined) break
    const status = await send(agent, next)
    replies[status] = (replies[status] ?? 0) + 1
  }
  agent.destroy()
}

function send(agent: Agent, { url, headers, body }: AttackRequest): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(url, { agent, method: 'POST', headers })
    sent.on('error', () => resolve(0))
    sent.on('response', (response) => {
      response.resume()
      response.on('error', () => resolve(0))
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.end(body)
  })
}

parentPort?.once('message', () => {
  isGoing = false
  parentPort?.postMessage({ replies } satisfies AttackAnswer)
})
void attack(workerData as AttackOrder)
