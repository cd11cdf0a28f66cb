// Task loop of a call thread: runs all tasks that it receives, in time slices, at a lower priority than the request thread.
// Tested by src/devchain/call-thread.test.ts
import { getPriority, setPriority } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import type { CallThreadMessage, CallThreadTask } from './call-thread-tasks.ts'
import { packFailure } from './packed-failure.ts'
import { MustMove, type TimeSlice, type TimeSlices } from '../time-slice.ts'

export type TaskContext = {
  readonly slice: TimeSlice
  /** Sends a request to the request thread and resolves with its reply. One at a time. */
  requestValue(request: unknown): Promise<unknown>
}

/** Added to the niceness of the process: where processors are scarce, replies from memory do not wait for calls. */
const niceness = 5
const nicenessMax = 19

/** `end`: called once the thread was closed and no task is left. */
export function serveTasks<Task>(parts: {
  readonly parent: MessagePort
  readonly slices: TimeSlices
  readonly work: (task: Task, context: TaskContext) => Promise<unknown>
  readonly end: () => void
}): void {
  const { parent, slices, work } = parts
  const post = (message: CallThreadMessage): void => parent.postMessage(message)
  const running = new Map<number, AbortController>()
  /** By task: resolves its pending `requestValue`. */
  const pendingRequests = new Map<number, (result: unknown) => void>()
  let closing = false
  lowerPriority()

  function requestValue(id: number, request: unknown): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    pendingRequests.set(id, resolve)
    post({ kind: 'request', id, request })
    return promise
  }

  async function run(id: number, task: Task): Promise<void> {
    const controller = new AbortController()
    running.set(id, controller)
    try {
      // Wait one turn: a `cancel` that arrives in the same turn is handled first, so the task never begins.
      await setImmediate()
      const onSlice = () => post({ kind: 'slice', id })
      const result = await slices.run(
        (slice) => work(task, { slice, requestValue: (request) => requestValue(id, request) }),
        controller.signal,
        onSlice,
      )
      post({ kind: 'done', id, result })
    } catch (error) {
      if (error instanceof MustMove) post({ kind: 'long', id })
      else post({ kind: 'failed', id, failure: packFailure(error) })
    }
    running.delete(id)
    pendingRequests.delete(id)
    endWhenIdle()
  }

  function endWhenIdle(): void {
    if (!closing || running.size > 0) return
    parts.end()
    parent.close()
  }

  parent.on('message', (message: CallThreadTask<Task>) => {
    switch (message.kind) {
      case 'run':
        return void run(message.id, message.task)
      case 'cancel':
        return running.get(message.id)?.abort()
      case 'reply':
        return pendingRequests.get(message.id)?.(message.result)
      case 'close':
        closing = true
        for (const controller of running.values()) controller.abort()
        return endWhenIdle()
    }
  })
}

/** Only Linux has a priority for each thread; elsewhere 0 stands for the process. */
function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(0, Math.min(getPriority(0) + niceness, nicenessMax))
}
