// A value of an answer: readable as number, hex, address or text; objects, lists and results of calls as fields or as JSON.
// Tested by dashboard/proof/value-forms.test.ts, dashboard/proof/answer-fields.test.ts, test/browser/proof.test.ts
import { useState } from 'preact/hooks'
import { formatNumber } from '../app/format.ts'
import { CodeBlock } from '../ui/copy.tsx'
import { Segments } from '../ui/toolbar.tsx'
import { type AnswerFields, answerFieldsOf } from './answer-fields.ts'
import { formsOf } from './value-forms.ts'

/** Of JSON on the page; the button copies all of it. */
const charactersMax = 20_000

type Props = {
  readonly value: unknown
  /** The value is not proved, so it is struck through. */
  readonly isRefused?: boolean
}

export function ValueView({ value, isRefused = false }: Props) {
  const forms = formsOf(value)
  const [chosen, setChosen] = useState('')
  const shown = forms.find(({ name }) => name === chosen) ?? forms[0]
  if (shown === undefined) return <LongValue value={value} isRefused={isRefused} />
  return (
    <div class="value-view">
      <output>{isRefused ? <del>{shown.text}</del> : shown.text}</output>
      <Segments
        title="Read as"
        value={shown.name}
        options={forms.map(({ name }) => ({ value: name, title: name }))}
        onValue={setChosen}
      />
    </div>
  )
}

function LongValue({ value, isRefused = false }: Props) {
  const [asJson, setAsJson] = useState(false)
  const fields = answerFieldsOf(value)
  const isReadable = fields !== null && fields.fields.length > 0
  const other = typeof value === 'string' ? 'Hex' : 'JSON'
  return (
    <div class="stack">
      {isReadable && (
        <Segments
          title="Read as"
          value={asJson ? other : 'Fields'}
          options={['Fields', other].map((name) => ({ value: name, title: name }))}
          onValue={(name) => setAsJson(name !== 'Fields')}
        />
      )}
      {isReadable && !asJson ? (
        <Fields {...fields} isRefused={isRefused} />
      ) : (
        <Json value={value} />
      )}
    </div>
  )
}

function Fields({ fields, left, isRefused }: AnswerFields & { readonly isRefused: boolean }) {
  return (
    <>
      <dl class="facts answer-fields">
        {fields.map(({ name, member, depth, text }, at) => (
          <div key={at}>
            <dt class={`depth-${depth}`} {...(member === null ? {} : { title: member })}>
              {name}
            </dt>
            <dd class={text.startsWith('0x') ? 'mono' : ''}>
              {isRefused ? <del>{text}</del> : text}
            </dd>
          </div>
        ))}
      </dl>
      {left > 0 && <p class="soft">{`${formatNumber(left)} more rows are not shown here.`}</p>}
    </>
  )
}

function Json({ value }: { readonly value: unknown }) {
  const text = typeof value === 'string' ? value : String(JSON.stringify(value, null, 2))
  const shown = text.slice(0, charactersMax)
  const left = text.length - shown.length
  return (
    <>
      <CodeBlock text={shown} copied={text} title="the answer" wrapped />
      {left > 0 && (
        <p class="soft">{`${formatNumber(left)} more characters. The button copies all of them.`}</p>
      )}
    </>
  )
}
