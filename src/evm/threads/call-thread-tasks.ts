// Messages between the request thread and a call thread. Everything is structured-clonable.
import type { PackedFailure } from './packed-failure.ts'

/** To the thread. `cancel` ends a task at its next stop; `reply` replies to its last `request`. */
export type CallThreadTask<Task> =
  | { readonly kind: 'run'; readonly id: number; readonly task: Task }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'reply'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'close' }

/**
 * From the thread. `slice`: this task continues, the previous one has paused. `long`: the task must restart in the thread for
 * long tasks. `request`: the task waits for values that the thread does not have.
 */
export type CallThreadMessage =
  | { readonly kind: 'slice'; readonly id: number }
  | { readonly kind: 'request'; readonly id: number; readonly request: unknown }
  | { readonly kind: 'long'; readonly id: number }
  | { readonly kind: 'done'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: PackedFailure }
