// One operation of the API: first the request, code for it and a form to try it, then the responses, folded.

import { samplesOf } from '@/lib/api/openapi/samples';
import type { Content, OperationObject, Parameter } from '@/lib/api/openapi/types';
import { FoldedBody, Fold, RequestBody, type Schemas } from './body-view';
import { DOCS_WORDS } from './docs-text';
import { FieldList } from './field-list';
import { Table } from './guide-section';
import { ReferenceText } from './rich-text';
import { SnippetTabs } from './snippet-tabs';
import { TryIt } from './try-it';

type Props = {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
  readonly schemas: Schemas;
  /** The headers that all operations share are explained once, above. */
  readonly parameters: Readonly<Record<string, Parameter>>;
};

export function OperationView({ method, path, operation, schemas, parameters }: Props) {
  const words = DOCS_WORDS.operation;
  const own = operation.parameters.flatMap((one): Parameter[] => ('in' in one ? [one] : []));
  const keyed = operation.parameters.some((one) => '$ref' in one && one.$ref.endsWith('/IdempotencyKey'));
  const idempotency = keyed ? parameters.IdempotencyKey : undefined;
  const listed = idempotency ? [...own, idempotency] : own;
  const request = operation.requestBody?.content;
  const [success, ...refusals] = Object.entries(operation.responses);
  const body = request ? JSON.stringify(firstExample(request), null, 2) : null;
  return (
    <details className="docs-operation" id={operation.operationId}>
      <summary>
        <span className={`docs-method docs-method-${method.toLowerCase()}`}>{method}</span>
        <code>{path}</code>
        <span className="docs-summary">{operation.summary}</span>
      </summary>
      <div className="docs-operation-body">
        <p>
          <ReferenceText text={operation.description} />
        </p>
        <p className="muted">
          {`${words.scope}: `}
          {scopesOf(operation).map((scope, at) => (
            <span key={scope}>
              {at > 0 && ', '}
              <code>{scope}</code>
            </span>
          ))}
        </p>
        {listed.length > 0 && (
          <>
            <h3>{words.parameters}</h3>
            <FieldList
              rows={listed.map((one) => ({
                path: one.name,
                isRequired: one.required ?? false,
                kind: one.in,
                meaning: one.description,
              }))}
            />
          </>
        )}
        {request && <RequestBody title={words.request} content={request} schemas={schemas} />}
        <h3>{words.code}</h3>
        <SnippetTabs
          id={`sample-${operation.operationId}`}
          title={operation.summary}
          snippets={samplesOf({
            method,
            path: `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase())}${sampleQuery(own)}`,
            body: request ? JSON.stringify(firstExample(request)) : null,
          })}
        />
        <h3>{words.try}</h3>
        <TryIt
          words={DOCS_WORDS.tryIt}
          call={{
            method,
            path,
            pathNames: own.filter((one) => one.in === 'path').map(({ name }) => name),
            queryNames: own.filter((one) => one.in === 'query').map(({ name }) => name),
            optional: own.filter((one) => !one.required).map(({ name }) => name),
            body,
          }}
        />
        <h3>{words.answers}</h3>
        {success?.[1].content && (
          <FoldedBody title={`${words.answer} ${success[0]}`} content={success[1].content} schemas={schemas} />
        )}
        <Fold title={words.refusals}>
          <Table
            label={`${words.refusals}: ${operation.summary}`}
            head={[words.status, words.codes]}
            rows={refusals.map(([status, { description }]) => [
              status,
              description.replaceAll(/\w+/g, (code) => `[${code}](/docs/errors/${code})`),
            ])}
          />
        </Fold>
      </div>
    </details>
  );
}

/** The scopes without duplicates: each signature version lists them. */
const scopesOf = ({ security }: OperationObject) => [...new Set(security.flatMap((one) => Object.values(one).flat()))];

/** The required query parameters, as placeholders. */
function sampleQuery(own: readonly Parameter[]): string {
  const names = own
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name }) => `${name}=${name.toUpperCase()}`);
  return names.length === 0 ? '' : `?${names.join('&')}`;
}

const firstExample = (content: Content): unknown => Object.values(content['application/json'].examples)[0]?.value;
