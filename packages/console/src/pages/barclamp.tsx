export const BarclampPage = () => <div className="page">barclamp</div>;
