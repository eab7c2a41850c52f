export const BarclampsPage = () => <div className="page">barclamps</div>;
