// The loop of a call thread: runs the tasks that it is given, all of them in turns.
// Tested by src/devchain/call-thread.test.ts
import { setImmediate } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import type { CallThreadMessage, CallThreadTask } from './call-thread-tasks.ts'
import { packFailure } from './packed-failure.ts'
import { MustYield, type TimeSlice, type TimeSlices } from './vm/time-slice.ts'

export type TaskContext = {
  readonly turn: TimeSlice
  /** Asks the request thread, and resolves with its answer. One at a time. */
  need(want: unknown): Promise<unknown>
}

/** `end`: the thread was closed, and no task is left. */
export function serveTasks<Task>(parts: {
  readonly parent: MessagePort
  readonly turns: TimeSlices
  readonly work: (task: Task, context: TaskContext) => Promise<unknown>
  readonly end: () => void
}): void {
  const { parent, turns, work } = parts
  const say = (news: CallThreadMessage): void => parent.postMessage(news)
  const running = new Map<number, AbortController>()
  /** Of the tasks that wait. */
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
      // Not at once: what is given up in the same moment is heard first, and never begins.
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
