import { expect, test } from '@jest/globals';
import { newTypeId } from '../../../domain/type-id.ts';
import { ChangeEvent } from '../../../engine/wire/records.ts';
import { changeEventsPage } from '../../ledger/change-events.ts';
import { changeEventsToJson } from '../../ledger/encode-change-events.ts';
import { batchBody, batchId } from './webhook-body.ts';

const stream = {
  id: newTypeId('chs'),
  organizationId: newTypeId('org'),
  databaseId: newTypeId('db'),
};

function pageOf(timestamps: readonly bigint[], limit: number) {
  const rows = new Uint8Array(timestamps.length * ChangeEvent.words * 4);
  const view = new DataView(rows.buffer);
  timestamps.forEach((timestamp, index) => {
    const at = (index * ChangeEvent.words + ChangeEvent.timestamp) * 4;
    view.setBigUint64(at, timestamp, true);
  });
  const page = changeEventsPage(1n, limit, rows);
  if (page === undefined) throw new Error('it is no page');
  return page;
}

test('a request names the events that it has, and the place before them', () => {
  const page = pageOf([5n, 7n, 2n ** 62n], 2);
  expect(batchId(stream, page)).toBe(`${stream.id}:5-7`);
  const body = JSON.parse(batchBody(stream, 1n, changeEventsToJson(page.rows)));
  expect(body).toMatchObject({
    type: 'change_events',
    apiVersion: 'v1',
    organizationId: stream.organizationId,
    databaseId: stream.databaseId,
    streamId: stream.id,
    after: '1',
    data: [{ timestamp: '5' }, { timestamp: '7' }],
  });
});
