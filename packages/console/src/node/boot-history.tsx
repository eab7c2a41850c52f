/** The boots of a node as the flight recorder saw them. */
import { boot_list } from '@hostwright/api/nouns/boot';
import { useQuery } from '@tanstack/react-query';
import { BootTable } from '../boot/boot-table.tsx';
import { reading } from '../session/client.ts';
import { Empty } from '../ui/empty.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Card } from '../ui/page.tsx';

export const BootHistory = ({ node }: { readonly node: string }) => {
  const boots = useQuery(reading(boot_list, { query: { node, limit: 50 } }));
  return (
    <Card title="Boots" flush>
      <Loaded read={boots}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="boot" title="No boot over the network was seen">
              When this machine boots by PXE, every request and answer is recorded here.
            </Empty>
          ) : (
            <BootTable boots={items} hideNode />
          )
        }
      </Loaded>
    </Card>
  );
};
