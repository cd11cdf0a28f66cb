// What a balancer and an orchestrator ask: /livez (the process answers) and /readyz (send callers here).
// Tested by src/http/server.test.ts
import type { Answer } from '../http/text-answer.ts'

export const livePath = '/livez'
export const readyPath = '/readyz'

/** Always 200: that it was built at all is the answer. */
export function liveAnswer(): Answer {
  return jsonAnswer(200, 'live')
}

/** 200 when callers may come; 503 before start has finished and from the moment a drain begins. */
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
