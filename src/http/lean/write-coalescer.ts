// Answers of one turn of the event loop, written when the turn ends. A client that waits for them on this machine, a proxy in
// front for one, sleeps while calls are worked on: the first write wakes it up, and the others find it awake.
// Where few answers come in a turn there is nothing to gain, so each is written at once.

/** Writes what it holds; nothing when it holds nothing. Never throws. */
export type Sender = { send(): void }

export type WriteCoalescer = {
  /** True: `sender.send` is called before the turn ends. False: the caller sends by itself, now. */
  holds(sender: Sender): boolean
}

/** So many answers to a turn are a crowd. */
const crowd = 4
/** After a turn without a crowd so many answers go out at once, before it is tried again. */
const atOnceMax = 32
/** Held at a time: bounds what an answer waits for. */
const heldMax = 64

/** One for all connections of a listener. */
export function createWriteCoalescer(): WriteCoalescer {
  let held: Sender[] = []
  let answers = 0
  let atOnce = 0
  let ending = false

  function sendHeld(): void {
    const senders = held
    held = []
    for (const sender of senders) sender.send()
  }

  function endTurn(): void {
    ending = false
    if (answers < crowd) atOnce = atOnceMax
    sendHeld()
  }

  return {
    holds(sender) {
      if (!ending) {
        if (atOnce > 0) {
          atOnce -= 1
          return false
        }
        ending = true
        answers = 0
        setImmediate(endTurn)
      }
      answers += 1
      held.push(sender)
      if (held.length >= heldMax) sendHeld()
      return true
    },
  }
}
