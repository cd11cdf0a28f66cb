// Task loop of a call thread: runs all tasks that it receives, in time slices.
// Tested by src/devchain/call-thread.test.ts
import { setImmediate } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import type { CallThreadMessage, CallThreadTask } from './call-thread-tasks.ts'
import { packFailure } from './packed-failure.ts'
import { MustYield, type TimeSlice, type TimeSlices } from './vm/time-slice.ts'

export type TaskContext = {
  readonly turn: TimeSlice
  /** Sends a request to the request thread and resolves with its reply. One at a time. */
  need(want: unknown): Promise<unknown>
}

/** `end`: called once the thread was closed and no task is left. */
export function serveTasks<Task>(parts: {
  readonly parent: MessagePort
  readonly turns: TimeSlices
  readonly work: (task: Task, context: TaskContext) => Promise<unknown>
  readonly end: () => void
}): void {
  const { parent, turns, work } = parts
  const say = (news: CallThreadMessage): void => parent.postMessage(news)
  const running = new Map<number, AbortController>()
  /** By task: resolves its pending `need`. */
  const waiting = new Map<number, (given: unknown) => void>()
  let closing = false

  function need(id: number, want: unknown): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    waiting.set(id, resolve)
    say({ kind: 'need', id, want })
    return promise
  }

  async function run(id: number, task: Task): Promise<void> {
    const controller = new AbortController()
    running.set(id, controller)
    try {
      // Wait one turn: a `cancel` that arrives in the same turn is handled first, so the task never begins.
      await setImmediate()
      const onTurn = () => say({ kind: 'turn', id })
      const result = await turns.run(
        (turn) => work(task, { turn, need: (want) => need(id, want) }),
        controller.signal,
        onTurn,
      )
      say({ kind: 'done', id, result })
    } catch (error) {
      if (error instanceof MustYield) say({ kind: 'long', id })
      else say({ kind: 'failed', id, failure: packFailure(error) })
    }
    running.delete(id)
    waiting.delete(id)
    endWhenIdle()
  }

  function endWhenIdle(): void {
    if (!closing || running.size > 0) return
    parts.end()
    parent.close()
  }

  parent.on('message', (order: CallThreadTask<Task>) => {
    switch (order.kind) {
      case 'run':
        return void run(order.id, order.task)
      case 'cancel':
        return running.get(order.id)?.abort()
      case 'have':
        return waiting.get(order.id)?.(order.given)
      case 'close':
        closing = true
        for (const controller of running.values()) controller.abort()
        return endWhenIdle()
    }
  })
}
