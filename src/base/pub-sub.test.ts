import { testPubSub } from '../../test/suites/pub-sub.suite.ts'
import { createMemoryPubSub } from './pub-sub.ts'

testPubSub('memory', async () => {
  const pubSub = createMemoryPubSub()
  return { one: pubSub, other: pubSub }
})
