// Health checks for load balancers and orchestrators: /livez (the process replies), /readyz (accepts requests).
// Tested by src/http/server.test.ts
import type { Answer } from '../http/text-answer.ts'

export const livePath = '/livez'
export const readyPath = '/readyz'

/** Always 200: a reply is proof enough that the process runs. */
export function liveAnswer(): Answer {
  return jsonAnswer(200, 'live')
}

/** 200 if the server accepts requests; 503 before the start has finished and once a drain begins. */
export function readyAnswer(state: {
  readonly ready: boolean
  readonly draining: boolean
}): Answer {
  if (state.draining) return jsonAnswer(503, 'draining')
  return state.ready ? jsonAnswer(200, 'ready') : jsonAnswer(503, 'starting')
}

function jsonAnswer(status: number, word: string): Answer {
  return { status, type: 'application/json', body: JSON.stringify({ status: word }) + '\n' }
}
